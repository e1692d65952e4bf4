import FunnelDecoding
import FunnelImport
import FunnelModel
import FunnelSystem

/// Writes each line of a block after the number of its shard: `SHARD<TAB>LINE`.
///
/// An imported event is written in canonical form, any other line unchanged. Rejected lines are written too, so that the
/// aggregation of their shard rejects and counts them.
struct ShardLines: CountingConsumer {
  private let shardCount: Int
  /// The links of all inputs, or `nil` to distribute the lines by subject alone.
  private let links: LinkedSubjects?
  /// Whether the block has imported records.
  private var isImported = false
  /// The lines with the numbers of their shards.
  private(set) var bytes: [UInt8] = []
  /// The numbers of lines, events and rejections.
  var counts = InputCounts()
  /// A sentence for each damaged file.
  private(set) var damage: [String] = []
  /// Whether an event names a user other than its subject.
  private(set) var namesOtherUsers = false
  /// Whether there are links, and they do not connect an event's subject with its user.
  private(set) var lacksLink = false

  /// Creates a writer for a number of shards, at least one.
  init(shardCount: Int, links: LinkedSubjects?) {
    precondition(shardCount > 0, "there is at least one shard")
    self.shardCount = shardCount
    self.links = links
  }

  /// Starts a block.
  mutating func begin(_ block: LineBlock) {
    isImported = block.format != .native
    // Room for the numbers of the shards.
    bytes.reserveCapacity(block.byteCount + block.byteCount / 16)
    counts.bytes += block.byteCount
  }

  mutating func take(
    _ event: EventReference, line: Span<UInt8>, _ resolution: FlowMatcher.Resolution, facts: inout EventTypes.Facts, block: Int,
    with encoder: inout CanonicalEncoder
  ) {
    counts.events += 1
    begin(shard(of: event))
    if isImported {
      encoder.append(event, to: &bytes)
    } else {
      let hasCarriageReturn = !line.isEmpty && line[line.count - 1] == Byte.carriageReturn
      bytes.append(copying: hasCarriageReturn ? line.extracting(droppingLast: 1) : line)
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  mutating func refuse(_ reject: Rejection, _ text: borrowing RejectedText, at place: LineBlock.Place) {
    counts.rejected[reject.reason, default: 0] += 1
    if reject.reason.isDamage { damage.append("\(place.file), line \(place.line): \(reject.message)") }
    guard !text.raw.isEmpty else { return }
    begin(ShardNumber.shard(text: text.raw, of: shardCount))
    // A record that spans lines is written as one line. In JSON, a line break between values is white space. In CSV, the
    // record is rejected either way.
    for index in text.raw.indices { bytes.append(text.raw[index] == Byte.lineFeed ? Byte.space : text.raw[index]) }
    // The beginning of a line that is too long may be a valid event. The ellipsis makes it invalid.
    if text.raw.count < text.byteCount { bytes.append(contentsOf: "…".utf8) }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Returns the shard of an event, and checks that the links connect its subject with its user.
  private mutating func shard(of event: EventReference) -> Int {
    let app = event.fields.app
    let subject = ShardNumber.hash(app: app.span, subject: event.fields.subject.span)
    let representative = links?.representative(of: subject) ?? subject
    if let name = event.fields.linkingUser {
      let user = ShardNumber.hash(app: app.span, subject: name.span)
      if user != subject { namesOtherUsers = true }
      if let links, links.representative(of: user) != representative { lacksLink = true }
    }
    return ShardNumber.shard(representative, of: shardCount)
  }

  /// Starts a line with the number of its shard.
  private mutating func begin(_ shard: Int) {
    bytes.appendDecimal(Int64(shard))
    bytes.append(UInt8(ascii: "\t"))
  }
}
