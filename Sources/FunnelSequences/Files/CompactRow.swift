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
  /// The ID of the subject within its partition.
  var subject: UInt32
  /// The upper 56 bits of the event's identity hash, with zeros below.
  var identity: UInt64
  /// Milliseconds since 2007, or ``timeMax`` if they do not fit.
  var time: UInt64
  /// The match set ID plus one (``SharedEventClassTable``), or 0 for an event without flow matches;
  /// ``matchListIDMax`` if it does not fit.
  var matchListID: UInt16

  static let byteCount = 16
  /// The largest number of subjects, whose IDs have 23 bits.
  static let subjectsMax = 1 << 23
  /// The largest time, of 40 bits, which last until 2041.
  static let timeMax: UInt64 = (1 << 40) - 1
  /// The largest stored match set ID, of 9 bits.
  static let matchListIDMax: UInt32 = (1 << 9) - 1

  private static let subjectShift: UInt64 = 41
  private static let matchListIDShift: UInt64 = 40
  private static let identityMask: UInt64 = 0xFFFF_FFFF_FFFF_FF00

  /// 2007-01-01 in milliseconds since the Unix epoch; earlier events are rejected.
  private static let epoch: Int64 = 1_167_609_600_000

  /// Creates a row; `identity` loses its low 8 bits, and values that do not fit become maxima.
  @inline(__always)
  init(subject: UInt32, identity: UInt64, milliseconds: Int64, matchListID: UInt32) {
    self.subject = subject
    self.identity = identity & Self.identityMask
    time = min(UInt64(bitPattern: milliseconds &- Self.epoch), Self.timeMax)
    self.matchListID = UInt16(truncatingIfNeeded: min(matchListID, Self.matchListIDMax))
  }

  /// Decodes a row.
  @inline(__always)
  init(first: UInt64, second: UInt64) {
    subject = UInt32(truncatingIfNeeded: first >> Self.subjectShift)
    time = first & Self.timeMax
    identity = second & Self.identityMask
    matchListID = UInt16(truncatingIfNeeded: (first >> 32 & 0x100) | (second & 0xFF))
  }

  /// The encoded row.
  @inline(__always)
  var words: (first: UInt64, second: UInt64) {
    assert(subject < Self.subjectsMax, "a subject ID has 23 bits")
    let matchListID = UInt64(matchListID)
    return (
      (UInt64(subject) << Self.subjectShift) | ((matchListID >> 8) << Self.matchListIDShift) | time,
      identity | (matchListID & 0xFF)
    )
  }

  /// The time in milliseconds since the Unix epoch; meaningless if ``time`` is ``timeMax``.
  @inline(__always)
  var milliseconds: Int64 { Int64(bitPattern: time) &+ Self.epoch }

  /// Whether a field did not fit, so its value is in ``RowDetail``.
  @inline(__always)
  var needsDetail: Bool { time == Self.timeMax || UInt32(matchListID) == Self.matchListIDMax }
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
  var matchListID: UInt32
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
