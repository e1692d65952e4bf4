import FunnelModel

/// Collects records into blocks, one record a line, each with its place in the input.
struct RecordBlockBuilder {
  private let context: SplitterContext
  /// The header of CSV; nil for JSON.
  var header: [UInt8]?
  private var memory: BlockMemory?
  private var byteCount = 0
  private var origins = RecordOrigins()
  /// The number of records so far of CSV, or of elements of arrays.
  private var sequence = 0
  /// The blocks that are complete.
  private(set) var blocks: [LineBlock] = []

  init(_ context: SplitterContext) {
    self.context = context
  }

  /// Adds a record of JSON, which contains no line feed.
  ///
  /// - Parameter isElement: Whether it is an element of an array, so that its place tells something.
  mutating func append(_ record: UnsafeRawBufferPointer, line: Int, byteOffset: Int, isElement: Bool) {
    appendLine(record)
    origins.append(line: line, byteOffset: byteOffset, sequence: isElement ? sequence : nil)
    if isElement { sequence += 1 }
  }

  /// Adds a record of CSV.
  ///
  /// - Parameters:
  ///   - json: The record as JSON without a line feed.
  ///   - text: The record as the input writes it.
  mutating func append(
    json: UnsafeRawBufferPointer, text: UnsafeRawBufferPointer, rejection: Rejection?, line: Int, byteOffset: Int
  ) {
    appendLine(json)
    sequence += 1
    origins.append(line: line, byteOffset: byteOffset, sequence: sequence, text: text, rejection: rejection)
  }

  /// Adds the beginning of a record that is too long.
  mutating func append(overlong kept: UnsafeRawBufferPointer, byteCount: Int, line: Int, byteOffset: Int) {
    endBlock()
    sequence += 1
    blocks.append(
      LineBlock(place: place(line, byteOffset), content: .overlongLine(totalByteCount: byteCount), bytes: kept))
  }

  /// Adds the damage that ends the stream, with the beginning of the record in front of it.
  mutating func append(_ damage: Rejection, behind tail: UnsafeRawBufferPointer, line: Int, byteOffset: Int) {
    endBlock()
    var block = LineBlock(place: place(line, byteOffset), content: .damagedTail(damage), bytes: tail)
    if header != nil { block.origins = RecordOrigins(header: header) }
    blocks.append(block)
  }

  /// Completes the block that was begun.
  mutating func endBlock() {
    guard let memory, let first = origins.records.first else { return }
    var block = LineBlock(place: place(first.line, first.byteOffset), content: .lines, memory: memory, byteCount: byteCount)
    block.origins = origins
    blocks.append(block)
    (self.memory, byteCount) = (nil, 0)
  }

  /// Returns the complete blocks and removes them.
  mutating func takeBlocks() -> [LineBlock] {
    defer { blocks = [] }
    return blocks
  }

  /// Returns the memory of the block that was begun to the pool.
  func close() {
    if let memory { context.pool.give(memory) }
  }

  private func place(_ line: Int, _ byteOffset: Int) -> LineBlock.Place {
    var place = context.place
    (place.line, place.byteOffset) = (line, byteOffset)
    return place
  }

  private mutating func appendLine(_ line: UnsafeRawBufferPointer) {
    let end = byteCount + line.count + 1
    if let memory, end + LineParser.paddingBytes > memory.byteCount || isFull { endBlock() }
    let memory = memory ?? begin(room: line.count + 1 + LineParser.paddingBytes)
    memory.space(byteCount..<(byteCount + line.count)).copyMemory(from: line)
    byteCount += line.count
    memory.space(byteCount..<(byteCount + 1))[0] = Byte.lineFeed
    byteCount += 1
  }

  private var isFull: Bool { byteCount >= context.blockBytesTarget || origins.records.count >= Limits.blockLinesMax }

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
