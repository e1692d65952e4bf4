import FunnelDecoding
import FunnelModel
import FunnelSystem

/// A block of up to 1024 rows of one partition, stored by column.
///
/// **Invariants:** all columns except attempts and texts share one allocation of ``byteCount(_:)`` bytes, in the order
/// details, rows, dimensions, event names, which can be written to a file and read back unchanged. The columns with the
/// strictest alignment come first, so that each is aligned. A row below ``count`` has a value in each of ``columns``.
/// Not thread-safe: the partition's lock protects it.
final class RowChunk {
  /// The largest number of rows.
  static let capacity = 1024
  // The first allocation of texts, for about 60 bytes a row.
  private static let textCapacityMin = 1 << 16

  let columns: RowColumns
  private let bytes: UnsafeMutableRawPointer
  /// The number of rows.
  var count = 0 {
    didSet { assert(count >= 0 && count <= Self.capacity, "a chunk has a limited number of rows") }
  }
  /// The attempt hash of each row, or `nil` if no row of the chunk has an attempt that counts.
  private var attempts: UnsafeMutablePointer<UInt64>?
  /// The texts of all rows, or `nil` if there are none.
  private var texts: UnsafeMutableRawPointer?
  private var textCount = 0
  private var textCapacity = 0
  private let arena: RowArena

  /// Creates an empty chunk in an arena whose chunks have `byteCount(columns)` bytes.
  init(_ columns: RowColumns, in arena: RowArena) {
    self.columns = columns
    self.arena = arena
    bytes = arena.take()
  }

  deinit {
    arena.giveBack(bytes, otherBytes: textCapacity + (attempts == nil ? 0 : Self.attemptBytes))
    texts?.deallocate()
    attempts?.deallocate()
  }

  /// Whether no more rows may be added.
  var isFull: Bool {
    // Text is limited because its offsets have 32 bits, and all texts are copied when they grow.
    count == Self.capacity || textCount >= Limits.rowTextBytesTarget
  }

  /// Returns the number of bytes of all columns except attempts and texts.
  static func byteCount(_ columns: RowColumns) -> Int { capacity * columns.rowBytes }
  /// The number of bytes of the column of attempts.
  private static let attemptBytes = MemoryLayout<UInt64>.stride * capacity
  private static let wordBytes = MemoryLayout<UInt64>.size

  private var details: UnsafeMutablePointer<RowDetail> {
    precondition(columns.details, "the column of details is loaded")
    return bytes.assumingMemoryBound(to: RowDetail.self)
  }

  @inline(__always)
  private var rows: UnsafeMutableRawPointer {
    bytes + (columns.details ? MemoryLayout<RowDetail>.stride * Self.capacity : 0)
  }

  private var dimensions: UnsafeMutablePointer<UInt32> {
    assert(columns.dimensions, "the column of dimensions is loaded")
    return (rows + CompactRow.byteCount * Self.capacity).assumingMemoryBound(to: UInt32.self)
  }

  private var eventNames: UnsafeMutablePointer<UInt16> {
    (rows + (CompactRow.byteCount + (columns.dimensions ? MemoryLayout<UInt32>.stride : 0)) * Self.capacity)
      .assumingMemoryBound(to: UInt16.self)
  }

  @inline(__always)
  private func checkIndex(_ index: Int) { assert(index >= 0 && index < Self.capacity, "a chunk has a limited number of rows") }

  /// Returns a row.
  @inline(__always)
  func row(_ index: Int) -> CompactRow {
    checkIndex(index)
    let row = rows + index &* CompactRow.byteCount
    return CompactRow(
      first: row.loadUnaligned(as: UInt64.self), second: row.loadUnaligned(fromByteOffset: Self.wordBytes, as: UInt64.self))
  }

  /// Sets a row.
  @inline(__always)
  func setRow(_ row: CompactRow, at index: Int) {
    checkIndex(index)
    let words = row.words
    let target = rows + index &* CompactRow.byteCount
    target.storeBytes(of: words.first, as: UInt64.self)
    target.storeBytes(of: words.second, toByteOffset: Self.wordBytes, as: UInt64.self)
  }

  /// The event name IDs of all rows (``SequenceTable/sharedName(_:)``).
  var eventNameIDs: [UInt16] { Array(UnsafeBufferPointer(start: eventNames, count: count)) }

  /// Sets the event name ID of a row.
  @inline(__always)
  func setEventName(_ id: UInt16, at index: Int) {
    checkIndex(index)
    eventNames[index] = id
  }

  /// Returns the index of a row's dimension values. Requires `columns.dimensions`.
  @inline(__always)
  func dimensions(of index: Int) -> UInt32 {
    checkIndex(index)
    return dimensions[index]
  }

  /// Sets the index of a row's dimension values. Requires `columns.dimensions`.
  @inline(__always)
  func setDimensions(_ row: UInt32, at index: Int) {
    checkIndex(index)
    dimensions[index] = row
  }

  /// Returns the details of a row. Requires `columns.details`.
  @inline(__always)
  func detail(of index: Int) -> RowDetail {
    checkIndex(index)
    return details[index]
  }

  /// Sets the details of a row. Requires `columns.details`.
  func setDetail(_ detail: RowDetail, at index: Int) {
    checkIndex(index)
    details[index] = detail
  }

  /// Returns the attempt hash of a row, or 0 if it has no attempt that counts.
  @inline(__always)
  func attempt(of index: Int) -> UInt64 {
    checkIndex(index)
    return attempts?[index] ?? 0
  }

  /// Sets the attempt hash of a row.
  func setAttempt(_ attempt: UInt64, at index: Int) {
    checkIndex(index)
    makeAttempts()[index] = attempt
  }

  /// Returns the column of attempts, creating it with zeros if the chunk has none.
  private func makeAttempts() -> UnsafeMutablePointer<UInt64> {
    if let attempts { return attempts }
    let made = UnsafeMutablePointer<UInt64>.allocate(capacity: Self.capacity)
    made.initialize(repeating: 0, count: Self.capacity)
    arena.addBytes(Self.attemptBytes)
    attempts = made
    return made
  }
}

extension RowChunk {
  /// A part of the texts of a row, valid as long as its chunk has no further texts.
  struct Text {
    fileprivate let bytes: UnsafeRawBufferPointer

    /// The number of bytes.
    var count: Int { bytes.count }

    /// The text decoded as UTF-8.
    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns whether this text precedes another by their bytes, or `nil` if they are equal.
    func order(before other: Text) -> Bool? { bytes.order(before: other.bytes) }

    /// Returns whether this text precedes another by their bytes.
    func precedes(_ other: Text) -> Bool { order(before: other) ?? false }
  }

  /// Returns `count` bytes of the texts.
  func text(at offset: Int, count: Int) -> Text {
    precondition(offset >= 0 && count >= 0 && offset + count <= textCount, "a text is within the texts of its chunk")
    return Text(bytes: UnsafeRawBufferPointer(start: texts.map { $0 + offset }, count: count))
  }

  /// Appends the texts of a row and returns their offset.
  func appendTexts(_ source: ArraySlice<UInt8>) -> UInt32 {
    let start = textCount
    let target = reserveTexts(source.count)
    source.withUnsafeBytes { target?.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: $0.count) }
    return UInt32(start)
  }

  /// Reserves `count` bytes after the existing texts and returns their address, or `nil` if `count` is 0.
  ///
  /// The address is valid until more texts are appended.
  private func reserveTexts(_ count: Int) -> UnsafeMutableRawPointer? {
    guard count > 0 else { return nil }
    let start = textCount
    if start + count > textCapacity {
      let larger = max(2 * textCapacity, start + count, Self.textCapacityMin)
      let copy = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: Self.wordBytes)
      if let texts {
        copy.copyMemory(from: texts, byteCount: start)
        texts.deallocate()
      }
      arena.addBytes(larger - textCapacity)
      texts = copy
      textCapacity = larger
    }
    textCount = start + count
    return texts.map { $0 + start }
  }
}

extension RowChunk {
  /// The ranges of a chunk that was written to a file.
  struct Spilled {
    fileprivate var rows: SpillFile.Segment
    fileprivate var attempts: SpillFile.Segment?
    fileprivate var texts: SpillFile.Segment?
    fileprivate var count: Int
  }

  /// Writes the chunk to a file.
  ///
  /// - Throws: The error of the file.
  func spill(to file: SpillFile) throws(FunnelError) -> Spilled {
    let rows = try file.append(Self.byteCount(columns), at: bytes)
    let attempts = try attempts.map { (attempts) throws(FunnelError) in try file.append(Self.attemptBytes, at: attempts) }
    let texts = try texts.map { (texts) throws(FunnelError) in try file.append(textCount, at: texts) }
    return Spilled(rows: rows, attempts: attempts, texts: texts, count: count)
  }

  /// Reads a chunk back from a file.
  ///
  /// - Throws: The error of the file.
  convenience init(_ spilled: Spilled, _ columns: RowColumns, in arena: RowArena, from file: SpillFile) throws(FunnelError) {
    self.init(columns, in: arena)
    count = spilled.count
    try file.read(spilled.rows, to: bytes)
    if let attempts = spilled.attempts { try file.read(attempts, to: makeAttempts()) }
    if let texts = spilled.texts, let target = reserveTexts(texts.byteCount) { try file.read(texts, to: target) }
  }
}

extension SpillFile {
  /// Appends `count` initialized bytes at an address of a chunk, and returns their range in the file.
  fileprivate func append(_ count: Int, at start: UnsafeRawPointer) throws(FunnelError) -> Segment {
    try append(Span(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: count)))
  }

  /// Reads a range of the file to an address of a chunk with room for it.
  fileprivate func read(_ segment: Segment, to start: UnsafeMutableRawPointer) throws(FunnelError) {
    let memory = UnsafeMutableRawBufferPointer(start: start, count: segment.byteCount).bindMemory(to: UInt8.self)
    var output = OutputSpan(buffer: memory, initializedCount: 0)
    try read(segment, into: &output)
    _ = output.finalize(for: memory)
  }
}
