import FunnelIngest
import FunnelModel

/// One event of a log, packed into 16 bytes: its subject, identity, time and flow matches.
///
/// Two 64-bit words hold the fields, from the highest bit to the lowest:
///
///     first    subject, 23 bits | bit 8 of the match set ID | time, 40 bits
///     second   identity, 56 bits | bits 0 to 7 of the match set ID
///
/// A time or match set ID that does not fit is stored as a maximum, and ``RowDetail`` holds the full value.
// Ten million events have to fit into 256 MiB, and the first touch of a page is expensive, so each field is as narrow as
// possible. With one billion subjects of a dozen events each, two identities of a subject collide in one of a million reports.
struct CompactRow {
  /// The number of the subject within its partition.
  var subject: UInt32
  /// The upper 56 bits of the event's identity hash, with zeros below.
  var identity: UInt64
  /// Milliseconds since 2007, or ``timeMax`` if they do not fit.
  var time: UInt64
  /// The match set ID plus one (``SharedEventClassTable``), or 0 for an event without flow matches;
  /// ``meaningMax`` if it does not fit.
  var meaning: UInt16

  static let byteCount = 16
  /// The number of subject numbers, of 23 bits.
  static let subjectsMax = 1 << 23
  /// The largest time, of 40 bits, which last until 2041.
  static let timeMax: UInt64 = (1 << 40) - 1
  /// The largest stored match set ID, of 9 bits.
  static let meaningMax: UInt32 = (1 << 9) - 1

  private static let subjectShift: UInt64 = 41
  private static let meaningShift: UInt64 = 40
  private static let identityMask: UInt64 = 0xFFFF_FFFF_FFFF_FF00

  /// 2007-01-01 in milliseconds since the Unix epoch; earlier events are rejected.
  private static let epoch: Int64 = 1_167_609_600_000

  /// Creates a row; `identity` loses its low 8 bits, and values that do not fit become maxima.
  @inline(__always)
  init(subject: UInt32, identity: UInt64, milliseconds: Int64, meaning: UInt32) {
    self.subject = subject
    self.identity = identity & Self.identityMask
    time = min(UInt64(bitPattern: milliseconds &- Self.epoch), Self.timeMax)
    self.meaning = UInt16(truncatingIfNeeded: min(meaning, Self.meaningMax))
  }

  /// Reads the row stored at an address.
  @inline(__always)
  init(at bytes: UnsafeRawPointer) {
    let first = bytes.loadUnaligned(as: UInt64.self)
    let second = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    subject = UInt32(truncatingIfNeeded: first >> Self.subjectShift)
    time = first & Self.timeMax
    identity = second & Self.identityMask
    meaning = UInt16(truncatingIfNeeded: (first >> 32 & 0x100) | (second & 0xFF))
  }

  /// Writes the 16 bytes of the row to an address, which need not be aligned.
  @inline(__always)
  func write(to bytes: UnsafeMutableRawPointer) {
    let meaning = UInt64(meaning)
    let first = (UInt64(subject) << Self.subjectShift) | ((meaning >> 8) << Self.meaningShift) | time
    bytes.storeBytes(of: first, as: UInt64.self)
    bytes.storeBytes(of: identity | (meaning & 0xFF), toByteOffset: 8, as: UInt64.self)
  }

  /// The time in milliseconds since the Unix epoch; meaningless if ``time`` is ``timeMax``.
  @inline(__always)
  var milliseconds: Int64 { Int64(bitPattern: time) &+ Self.epoch }

  /// Whether a field did not fit, so its value is in ``RowDetail``.
  @inline(__always)
  var needsDetail: Bool { time == Self.timeMax || UInt32(meaning) == Self.meaningMax }
}

/// The fields that order two events with the same time, and the full values of the narrow fields of ``CompactRow``.
///
/// Details are stored only if they are needed (``RowColumns/details``).
struct RowDetail {
  var milliseconds: Int64
  /// The event's `seq`.
  var sequence: Int64
  /// The offset of the ID in the chunk's texts. The name, the record, the subject and the attempt follow it.
  var text: UInt32
  var recordByteCount: UInt32
  /// The match set ID plus one, or 0 for an event without flow matches.
  var meaning: UInt32
  var idByteCount: UInt8
  var nameByteCount: UInt8
  var subjectByteCount: UInt8
  var attemptByteCount: UInt8
  var hasAttempt: Bool
}

/// The columns that are stored of each event besides its ``CompactRow`` and its event name.
struct RowColumns: Hashable {
  /// Whether the attempt hashes are stored, of events in flows that count by attempt.
  var attempts = false
  /// Whether the dimension values are stored.
  var dimensions = false
  /// Whether ``RowDetail`` and the texts are stored.
  var details = false
  /// Whether the canonical record is among the texts.
  var records = false
  /// Whether the subject and the attempt are among the texts.
  var names = false

  /// The number of bytes of one row in all columns except attempts and texts, which are allocated separately.
  var rowBytes: Int {
    CompactRow.byteCount + MemoryLayout<UInt16>.stride + (dimensions ? MemoryLayout<UInt32>.stride : 0)
      + (details ? MemoryLayout<RowDetail>.stride : 0)
  }
}

/// A block of up to 1024 rows of one partition, stored by column.
///
/// All columns except attempts and texts share one allocation, which can be written to a file and read back unchanged.
/// Not thread-safe: the partition's lock protects it.
final class RowChunk {
  static let capacity = 1024
  // The first allocation of texts, for about 60 bytes a row.
  private static let textCapacityMin = 1 << 16

  let columns: RowColumns
  /// The columns, `byteCount(columns)` bytes in the order details, rows, dimensions, event names.
  let bytes: UnsafeMutableRawPointer
  /// The number of rows.
  var count = 0
  /// The attempt hash of each row, or `nil` if no row of the chunk has an attempt that counts.
  private(set) var attempts: UnsafeMutablePointer<UInt64>?
  /// The texts of all rows, or `nil` if there are none.
  private(set) var texts: UnsafeMutableRawPointer?
  private(set) var textCount = 0
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
  static let attemptBytes = MemoryLayout<UInt64>.stride * capacity

  // The columns with the strictest alignment come first, so that each is aligned.

  /// The column of details. Requires `columns.details`.
  var details: UnsafeMutablePointer<RowDetail> { bytes.assumingMemoryBound(to: RowDetail.self) }

  /// The column of ``CompactRow`` values.
  @inline(__always)
  var rows: UnsafeMutableRawPointer {
    bytes + (columns.details ? MemoryLayout<RowDetail>.stride * Self.capacity : 0)
  }

  /// Returns the column of attempts, creating it with zeros if the chunk has none.
  func makeAttempts() -> UnsafeMutablePointer<UInt64> {
    if let attempts { return attempts }
    let made = UnsafeMutablePointer<UInt64>.allocate(capacity: Self.capacity)
    made.initialize(repeating: 0, count: Self.capacity)
    arena.addBytes(Self.attemptBytes)
    attempts = made
    return made
  }

  /// Returns the attempt hash of a row, or 0 if it has no attempt that counts.
  @inline(__always)
  func attempt(of row: Int) -> UInt64 { attempts?[row] ?? 0 }

  /// The column of indices of dimension rows. Requires `columns.dimensions`.
  var dimensions: UnsafeMutablePointer<UInt32> {
    (rows + CompactRow.byteCount * Self.capacity).assumingMemoryBound(to: UInt32.self)
  }

  /// The column of event name IDs (``SequenceTable/sharedName(_:)``).
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

  /// Reserves `count` bytes after the existing texts and returns their address, or `nil` if `count` is 0.
  ///
  /// The address is valid until more texts are appended.
  func reserveTexts(_ count: Int) -> UnsafeMutableRawPointer? {
    guard count > 0 else { return nil }
    let start = textCount
    if start + count > textCapacity {
      let larger = max(2 * textCapacity, start + count, Self.textCapacityMin)
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
