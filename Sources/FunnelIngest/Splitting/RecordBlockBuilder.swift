import FunnelDecoding
import FunnelModel

/// Builds blocks from single records, one a line, with the position of each record in the input.
struct RecordBlockBuilder {
  private let context: SplitterContext
  /// The header of CSV, or `nil` for JSON.
  var header: [UInt8]?
  /// The bytes of the current block, or `nil` between two blocks.
  private var memory: BlockMemory?
  /// The number of bytes in the current block.
  private var byteCount = 0
  /// The positions of the records of the current block.
  private var origins = RecordOrigins()
  /// The number of CSV records or array elements so far.
  private var sequence = 0
  /// The complete blocks.
  private(set) var blocks: [LineBlock] = []

  private static let lineFeed = [Byte.lineFeed]

  /// Creates a builder for the records of one text.
  init(_ context: SplitterContext) {
    self.context = context
  }

  /// Adds a JSON record, which must not contain a line feed.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - line: The number of its first line in the input.
  ///   - byteOffset: The offset of its first byte in the input.
  ///   - isElement: Whether it is an element of an array. Its index is then its `seq`.
  mutating func append(_ record: Span<UInt8>, line: Int, byteOffset: Int, isElement: Bool) {
    appendLine(record)
    origins.append(line: line, byteOffset: byteOffset, sequence: isElement ? sequence : nil)
    if isElement { sequence += 1 }
  }

  /// Adds a CSV record.
  ///
  /// - Parameters:
  ///   - json: The record as JSON without a line feed.
  ///   - text: The record as it is in the input.
  ///   - rejection: The reason to reject the record, or `nil` if it may be an event.
  ///   - line: The number of its first line in the input.
  ///   - byteOffset: The offset of its first byte in the input.
  mutating func append(
    json: Span<UInt8>, text: Span<UInt8>, rejection: Rejection?, line: Int, byteOffset: Int
  ) {
    appendLine(json)
    sequence += 1
    origins.append(line: line, byteOffset: byteOffset, sequence: sequence, copying: text, rejection: rejection)
  }

  /// Adds a block with the beginning of a record that is too long.
  ///
  /// - Parameter byteCount: The length of the whole record in bytes.
  mutating func append(overlong kept: Span<UInt8>, byteCount: Int, line: Int, byteOffset: Int) {
    endBlock()
    sequence += 1
    blocks.append(
      LineBlock(place: place(line, byteOffset), content: .overlongLine(totalByteCount: byteCount), copying: kept))
  }

  /// Adds a block for the damage that ends the stream.
  ///
  /// - Parameter tail: The beginning of the record before the damage. It may be empty.
  mutating func append(_ damage: Rejection, after tail: Span<UInt8>, line: Int, byteOffset: Int) {
    endBlock()
    var block = LineBlock(place: place(line, byteOffset), content: .damagedTail(damage), copying: tail)
    if header != nil { block.origins = RecordOrigins(header: header) }
    blocks.append(block)
  }

  /// Completes the current block, if there is one.
  mutating func endBlock() {
    guard let memory, let first = origins.records.first else { return }
    var block = LineBlock(place: place(first.line, first.byteOffset), content: .lines, memory: memory, byteCount: byteCount)
    block.origins = origins
    blocks.append(block)
    self.memory = nil
    byteCount = 0
  }

  /// Returns the complete blocks and removes them.
  mutating func takeBlocks() -> [LineBlock] {
    defer { blocks = [] }
    return blocks
  }

  /// Returns the memory of the current block to the pool. The builder must not be used afterwards.
  func close() {
    if let memory { context.pool.give(memory) }
  }

  private func place(_ line: Int, _ byteOffset: Int) -> LineBlock.Place {
    var place = context.place
    place.line = line
    place.byteOffset = byteOffset
    return place
  }

  /// Appends a line to the current block, or to a new one if the current block is full.
  private mutating func appendLine(_ line: Span<UInt8>) {
    let room = line.count + 1 + LineParser.paddingBytes
    if let memory, byteCount + room > memory.byteCount || isFull { endBlock() }
    let memory = memory ?? begin(room: room)
    memory.copy(line, to: byteCount)
    byteCount += line.count
    memory.copy(Self.lineFeed.span, to: byteCount)
    byteCount += 1
    assert(byteCount + LineParser.paddingBytes <= memory.byteCount, "the padding follows the records")
  }

  private var isFull: Bool { byteCount >= context.blockBytesTarget || origins.records.count >= Limits.blockLinesMax }

  /// Starts a block, and returns its memory of at least `room` bytes.
  private mutating func begin(room: Int) -> BlockMemory {
    var memory = context.pool.take()
    if memory.byteCount < room {
      context.pool.give(memory)
      memory = BlockMemory(byteCount: room)
    }
    self.memory = memory
    origins = RecordOrigins(header: header)
    return memory
  }
}
