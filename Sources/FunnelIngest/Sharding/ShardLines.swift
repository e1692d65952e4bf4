import FunnelImport
import FunnelModel

/// Writes each line of a block behind the number of its shard: `SHARD<TAB>LINE`.
///
/// An event of another product's record is written in canonical form, any other line as the input has it. A rejected line goes to a shard
/// too, so that whoever folds the shard rejects and counts it.
struct ShardLines: EventConsumer {
  private let shardCount: Int
  /// Whether the records of the block are another product's.
  private var isImported = false
  private(set) var bytes: [UInt8] = []
  private(set) var counts = InputCounts()
  /// What was damaged, so that nothing behind it could be read.
  private(set) var damage: [String] = []

  init(shardCount: Int) {
    self.shardCount = shardCount
  }

  /// Begins another block.
  mutating func begin(_ block: LineBlock) {
    isImported = block.format != .native
    bytes.reserveCapacity(block.byteCount + block.byteCount / 16)
    counts.bytes += block.byteCount
  }

  mutating func countLine() { counts.lines += 1 }

  mutating func add(_ aggregate: ImportCounts) { counts.imports.add(aggregate) }

  mutating func countForgotten() { counts.rejected[.forgotten, default: 0] += 1 }

  mutating func take(
    _ event: UnsafePointer<EventFields>, line: UnsafeRawBufferPointer, _ resolution: FlowResolver.Resolution,
    facts: UnsafeMutablePointer<EventTypes.Facts>, block: Int, with encoder: inout CanonicalEncoder
  ) {
    counts.events += 1
    begin(ShardNumber.shard(app: event.pointee.app, subject: event.pointee.subject, of: shardCount))
    if isImported {
      encoder.append(event, to: &bytes)
    } else {
      bytes.append(contentsOf: line.last == UInt8(ascii: "\r") ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line)
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  mutating func refuse(_ reject: Rejection, _ text: RejectedText, at place: LineBlock.Place) {
    counts.rejected[reject.reason, default: 0] += 1
    if reject.reason.isDamage { damage.append("\(place.file), line \(place.line): \(reject.message)") }
    guard !text.raw.isEmpty else { return }
    begin(ShardNumber.shard(text: text.raw, of: shardCount))
    // A record that spans lines is written on one: a line break between two values of JSON is a blank, and CSV is no event either way.
    for byte in text.raw { bytes.append(byte == UInt8(ascii: "\n") ? UInt8(ascii: " ") : byte) }
    // The beginning of a line that is too long might be an event, followed by blanks. With this behind it, it is none.
    if text.raw.count < text.byteCount { bytes.append(contentsOf: "…".utf8) }
    bytes.append(UInt8(ascii: "\n"))
  }

  private mutating func begin(_ shard: Int) {
    bytes.appendDecimal(Int64(shard))
    bytes.append(UInt8(ascii: "\t"))
  }
}
