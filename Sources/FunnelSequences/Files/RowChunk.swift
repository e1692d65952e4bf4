import FunnelDecoding
import FunnelIndex
import FunnelModel
import FunnelSystem

/// A block of up to 1024 rows of one partition, stored by column.
///
/// **Invariants:** all columns except attempts and texts share one block of ``byteCount(_:)`` bytes, in the order
/// details, rows, dimensions, users, event names, which can be written to a file and read back unchanged. The columns with the
/// strictest alignment come first, so that each is aligned. A row below ``count`` has a value in each of ``columns``.
/// Not thread-safe: the partition's lock protects it.
final class RowChunk {
  /// The largest number of rows.
  static let capacity = 1024
  // The first allocation of texts, for about 60 bytes a row.
  private static let textCapacityMin = 1 << 16

  let columns: RowColumns
  /// The number of rows.
  var count = 0 {
    didSet { assert(count >= 0 && count <= Self.capacity, "a chunk has a limited number of rows") }
  }
  private let arena: RowArena
  private let block: ArenaBlock
  // The columns of the block; empty if they are not stored.
  private let details: MutableColumn<RowDetail>
  private let rows: MutableColumn<CompactRow.Packed>
  private let dimensions: MutableColumn<UInt32>
  private let users: MutableColumn<UInt32>
  private let eventNames: MutableColumn<UInt16>
  /// The attempt hash of each row, or none if no row of the chunk has an attempt that counts.
  private var attempts = UniqueArray<UInt64>(capacity: 0)
  /// The texts of all rows.
  private var texts = UniqueBytes(capacity: 0)
  /// The number of bytes of attempts and texts that were reported to the arena.
  private var reportedBytes = 0

  /// Creates an empty chunk in an arena whose blocks have `byteCount(columns)` bytes.
  init(_ columns: RowColumns, in arena: RowArena) {
    self.columns = columns
    self.arena = arena
    block = arena.makeBlock()
    let memory = block.memory
    var offset = 0
    func next<Value: BitwiseCopyable>(_ type: Value.Type, isStored: Bool = true) -> MutableColumn<Value> {
      let count = isStored ? Self.capacity : 0
      defer { offset += count * MemoryLayout<Value>.stride }
      return memory.column(of: type, at: offset, count: count)
    }
    details = next(RowDetail.self, isStored: columns.details)
    rows = next(CompactRow.Packed.self)
    dimensions = next(UInt32.self, isStored: columns.dimensions)
    users = next(UInt32.self, isStored: columns.users)
    eventNames = next(UInt16.self)
    assert(offset == Self.byteCount(columns), "the columns take the whole block")
  }

  deinit { arena.addBytes(-reportedBytes) }

  /// Whether no more rows may be added.
  var isFull: Bool {
    // Text is limited because its offsets have 32 bits, and all texts are copied when they grow.
    count == Self.capacity || texts.count >= Limits.rowTextBytesTarget
  }

  /// Returns the number of bytes of all columns except attempts and texts.
  static func byteCount(_ columns: RowColumns) -> Int { capacity * columns.rowBytes }

  /// Returns a row.
  @inline(__always)
  func row(_ index: Int) -> CompactRow { CompactRow(rows[index]) }

  /// Sets a row.
  @inline(__always)
  func setRow(_ row: CompactRow, at index: Int) { rows[index] = row.packed }

  /// The event name IDs of all rows (``SequenceTable/sharedName(_:)``).
  var eventNameIDs: [UInt16] { eventNames.elements[0..<count].array }

  /// Sets the event name ID of a row.
  @inline(__always)
  func setEventName(_ id: UInt16, at index: Int) { eventNames[index] = id }

  /// Returns the index of a row's dimension values. Requires `columns.dimensions`.
  @inline(__always)
  func dimensions(of index: Int) -> UInt32 { dimensions[index] }

  /// Sets the index of a row's dimension values. Requires `columns.dimensions`.
  @inline(__always)
  func setDimensions(_ row: UInt32, at index: Int) { dimensions[index] = row }

  /// Returns the shared number of a row's user, or 0 if it has none. Requires `columns.users`.
  @inline(__always)
  func user(of index: Int) -> UInt32 { users[index] }

  /// Sets the shared number of a row's user. Requires `columns.users`.
  @inline(__always)
  func setUser(_ user: UInt32, at index: Int) { users[index] = user }

  /// Returns the details of a row. Requires `columns.details`.
  @inline(__always)
  func detail(of index: Int) -> RowDetail {
    precondition(columns.details, "the column of details is loaded")
    return details[index]
  }

  /// Sets the details of a row. Requires `columns.details`.
  func setDetail(_ detail: RowDetail, at index: Int) {
    precondition(columns.details, "the column of details is loaded")
    details[index] = detail
  }

  /// Returns the attempt hash of a row, or 0 if it has no attempt that counts.
  @inline(__always)
  func attempt(of index: Int) -> UInt64 { attempts.count == 0 ? 0 : attempts[index] }

  /// Sets the attempt hash of a row.
  func setAttempt(_ attempt: UInt64, at index: Int) {
    if attempts.count == 0 {
      attempts = UniqueArray(repeating: 0, count: Self.capacity)
      reportBytes()
    }
    attempts[index] = attempt
  }

  /// Returns `count` bytes of the texts, valid until texts are appended.
  func text(at offset: Int, count: Int) -> BorrowedBytes { texts.bytes[offset..<offset + count] }

  /// Appends the texts of a row and returns their offset.
  func appendTexts(_ source: BorrowedBytes) -> UInt32 {
    let start = texts.count
    reserveTexts(source.count)
    texts.append(source)
    return UInt32(start)
  }

  /// Reserves memory for `count` further bytes of texts.
  private func reserveTexts(_ count: Int) {
    guard count > 0 else { return }
    texts.reserve(texts.count == 0 ? max(count, Self.textCapacityMin) : count)
    reportBytes()
  }

  /// Reports the memory of attempts and texts to the arena, if it has changed.
  private func reportBytes() {
    let bytes = attempts.count * MemoryLayout<UInt64>.stride + texts.capacity
    if bytes != reportedBytes { arena.addBytes(bytes - reportedBytes) }
    reportedBytes = bytes
  }
}

extension RowChunk {
  /// The ranges of a chunk that was written to a file.
  struct Spilled {
    fileprivate let rows: SpillFile.Segment
    fileprivate let attempts: SpillFile.Segment
    fileprivate let texts: SpillFile.Segment
    fileprivate let count: Int
  }

  /// Writes the chunk to a file.
  ///
  /// - Throws: The error of the file.
  func spill(to file: SpillFile) throws(FunnelError) -> Spilled {
    func append(_ bytes: BorrowedBytes) throws(FunnelError) -> SpillFile.Segment {
      try bytes.withSpan { (span) throws(FunnelError) in try file.append(span) }
    }
    return Spilled(
      rows: try append(columnBytes.elements), attempts: try append(attempts.elements.bytes), texts: try append(texts.bytes),
      count: count)
  }

  /// Reads a chunk back from a file.
  ///
  /// - Throws: The error of the file.
  convenience init(_ spilled: Spilled, _ columns: RowColumns, in arena: RowArena, from file: SpillFile) throws(FunnelError) {
    self.init(columns, in: arena)
    count = spilled.count
    try columnBytes.replaceAll { (output) throws(FunnelError) in try file.read(spilled.rows, into: &output) }
    var attemptBytes = UniqueBytes(capacity: spilled.attempts.byteCount)
    try attemptBytes.append(spilled.attempts.byteCount) { (output) throws(FunnelError) in
      try file.read(spilled.attempts, into: &output)
    }
    attempts.append(
      attemptBytes.bytes.column(
        of: UInt64.self, at: 0, count: attemptBytes.count / MemoryLayout<UInt64>.stride))
    reserveTexts(spilled.texts.byteCount)
    try texts.append(spilled.texts.byteCount) { (output) throws(FunnelError) in
      try file.read(spilled.texts, into: &output)
    }
    reportBytes()
  }

  /// The memory of all columns except attempts and texts.
  private var columnBytes: MutableColumn<UInt8> { block.memory[0..<Self.byteCount(columns)] }
}
