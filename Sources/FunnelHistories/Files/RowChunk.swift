import FunnelIngest
import FunnelModel

/// One event in sixteen bytes: the fields that a report needs of nearly all events.
///
/// Ten million events have to fit into 256 MiB, and the first touch of a page is expensive, so each field is as narrow as possible: the
/// subject is a number within its partition (23 bits), the time counts milliseconds since 2007 (40 bits, until 2041), the kind's code has
/// 9 bits, and the hash that tells a subject's events apart has 56 bits: with a thousand million subjects of a dozen events each, two
/// events collide in one of a million reports.
struct CompactRow {
  var subject: UInt32
  /// The upper 56 bits of the hash, with zeros below.
  var identity: UInt64
  /// Milliseconds since 2007, or ``timeMax`` if they do not fit; the detail then holds the time.
  var time: UInt64
  /// The kind's code plus one, 0 for an event that no journey wants, or ``meaningMax`` if it does not fit; the detail then holds it.
  var meaning: UInt16

  static let byteCount = 16
  static let subjectsMax = 1 << 23
  static let timeMax: UInt64 = 1 << 40 - 1
  static let meaningMax: UInt32 = 1 << 9 - 1

  /// 2007-01-01 in milliseconds since the Unix epoch; earlier events are rejected.
  private static let epoch: Int64 = 1_167_609_600_000

  @inline(__always)
  init(subject: UInt32, identity: UInt64, milliseconds: Int64, meaning: UInt32) {
    self.subject = subject
    self.identity = identity & ~0xFF
    time = min(UInt64(bitPattern: milliseconds &- Self.epoch), Self.timeMax)
    self.meaning = UInt16(truncatingIfNeeded: min(meaning, Self.meaningMax))
  }

  /// Reads the row stored at an address.
  @inline(__always)
  init(at bytes: UnsafeRawPointer) {
    let (first, second) = (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    subject = UInt32(truncatingIfNeeded: first >> 41)
    time = first & Self.timeMax
    identity = second & ~0xFF
    meaning = UInt16(truncatingIfNeeded: (first >> 32 & 0x100) | (second & 0xFF))
  }

  /// Writes the row to an address.
  @inline(__always)
  func write(to bytes: UnsafeMutableRawPointer) {
    let code = UInt64(meaning)
    bytes.storeBytes(of: (UInt64(subject) << 41) | ((code >> 8) << 40) | time, as: UInt64.self)
    bytes.storeBytes(of: identity | (code & 0xFF), toByteOffset: 8, as: UInt64.self)
  }

  @inline(__always)
  var milliseconds: Int64 { Int64(bitPattern: time) &+ Self.epoch }

  /// Whether a field did not fit.
  @inline(__always)
  var needsDetail: Bool { time == Self.timeMax || UInt32(meaning) == Self.meaningMax }
}

/// The fields that tell two events with the same time apart; kept only if they are needed.
struct RowDetail {
  var milliseconds: Int64
  var sequence: Int64
  /// The offset of the id in the chunk's texts; the name follows the id, then the record, the subject and the attempt.
  var text: UInt32
  var recordByteCount: UInt32
  var meaning: UInt32
  var idByteCount: UInt8
  var nameByteCount: UInt8
  var subjectByteCount: UInt8
  var attemptByteCount: UInt8
  var hasAttempt: Bool
}

/// The columns that are kept of each event besides its ``CompactRow``.
struct RowColumns: Hashable {
  /// The attempt's hash, if the event belongs to a flow that counts by attempt.
  var attempts = false
  /// The dimension values, if the query has dimensions.
  var dimensions = false
  /// ``RowDetail`` and the texts.
  var details = false
  /// Whether the canonical record is among the texts.
  var records = false
  /// Whether the subject and the attempt are among the texts.
  var names = false

  /// The number of bytes of one row in all columns except attempts and texts, which not every chunk has.
  var rowBytes: Int {
    CompactRow.byteCount + MemoryLayout<UInt16>.stride + (dimensions ? 4 : 0) + (details ? MemoryLayout<RowDetail>.stride : 0)
  }
}

/// A block of 1024 rows of one partition, stored by column in one allocation that can be written to a file and read back unchanged.
final class RowChunk {
  static let capacity = 1024

  let columns: RowColumns
  let bytes: UnsafeMutableRawPointer
  var count = 0
  /// The attempts; nil until a row of the chunk has an attempt that counts.
  private(set) var attempts: UnsafeMutablePointer<UInt64>?
  private(set) var texts: UnsafeMutableRawPointer?
  private(set) var textCount = 0
  private var textCapacity = 0
  private let arena: RowArena

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

  /// Whether the chunk takes no more rows: offsets into its texts have 32 bits, and all texts are copied when they grow.
  var isFull: Bool { count == Self.capacity || textCount >= Limits.rowTextBytesTarget }

  static func byteCount(_ columns: RowColumns) -> Int { capacity * columns.rowBytes }
  static let attemptBytes = 8 * capacity

  // The columns with the strictest alignment come first, so that each is aligned.

  var details: UnsafeMutablePointer<RowDetail> { bytes.assumingMemoryBound(to: RowDetail.self) }

  @inline(__always)
  var rows: UnsafeMutableRawPointer {
    bytes + (columns.details ? MemoryLayout<RowDetail>.stride * Self.capacity : 0)
  }

  /// Returns the column of attempts, which is created with zeros if the chunk has none yet.
  func makeAttempts() -> UnsafeMutablePointer<UInt64> {
    if let attempts { return attempts }
    let made = UnsafeMutablePointer<UInt64>.allocate(capacity: Self.capacity)
    made.initialize(repeating: 0, count: Self.capacity)
    arena.addBytes(Self.attemptBytes)
    attempts = made
    return made
  }

  /// Returns the attempt of a row, or 0 if it has none that counts.
  @inline(__always)
  func attempt(of row: Int) -> UInt64 { attempts?[row] ?? 0 }

  var dimensions: UnsafeMutablePointer<UInt32> {
    (rows + CompactRow.byteCount * Self.capacity).assumingMemoryBound(to: UInt32.self)
  }

  /// The numbers of the events' names (``SequenceTable/sharedName(_:)``).
  var eventNames: UnsafeMutablePointer<UInt16> {
    (rows + (CompactRow.byteCount + (columns.dimensions ? MemoryLayout<UInt32>.stride : 0)) * Self.capacity)
      .assumingMemoryBound(to: UInt16.self)
  }

  /// Appends the texts of a row and returns their offset.
  func appendTexts(_ source: UnsafeRawBufferPointer) -> UInt32 {
    let start = textCount
    let room = reserveTexts(source.count)
    if let base = source.baseAddress { room?.copyMemory(from: base, byteCount: source.count) }
    return UInt32(start)
  }

  /// Reserves `count` bytes after the existing texts and returns their address, or nil if `count` is 0.
  func reserveTexts(_ count: Int) -> UnsafeMutableRawPointer? {
    guard count > 0 else { return nil }
    let start = textCount
    if start + count > textCapacity {
      let larger = max(2 * textCapacity, start + count, 1 << 16)
      let copy = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
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
