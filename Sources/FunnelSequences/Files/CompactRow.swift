import FunnelModel

/// One event of a log, packed into 16 bytes: its subject, identity, time and flow matches.
///
/// Two 64-bit words (``Packed``) hold the fields, from the highest bit to the lowest:
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

  /// The packed row.
  struct Packed: BitwiseCopyable {
    var first: UInt64
    var second: UInt64
  }

  /// The largest number of subjects, whose IDs have 23 bits.
  static let subjectsMax = 1 << 23
  /// The largest time, of 40 bits, which last until 2041.
  static let timeMax: UInt64 = (1 << 40) - 1
  /// The largest stored match set ID, of 9 bits.
  static let matchListIDMax: UInt32 = (1 << 9) - 1

  private static let subjectShift: UInt64 = 41
  private static let matchListIDShift: UInt64 = 40
  private static let lowMatchListIDBits: UInt64 = 8
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

  /// Unpacks a row.
  @inline(__always)
  init(_ packed: Packed) {
    subject = UInt32(truncatingIfNeeded: packed.first >> Self.subjectShift)
    time = packed.first & Self.timeMax
    identity = packed.second & Self.identityMask
    let highBit = (packed.first >> Self.matchListIDShift) & 1
    matchListID = UInt16(truncatingIfNeeded: (highBit << Self.lowMatchListIDBits) | (packed.second & ~Self.identityMask))
  }

  /// The packed row.
  @inline(__always)
  var packed: Packed {
    assert(subject < Self.subjectsMax, "a subject ID has 23 bits")
    let matchListID = UInt64(matchListID)
    return Packed(
      first: (UInt64(subject) << Self.subjectShift)
        | ((matchListID >> Self.lowMatchListIDBits) << Self.matchListIDShift) | time,
      second: identity | (matchListID & ~Self.identityMask))
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
struct RowDetail: BitwiseCopyable {
  var milliseconds: Int64
  /// The event's `seq`.
  var sequence: Int64
  /// The offset of the row's texts in those of the chunk: the ID, the name, the record, the subject and the attempt, one
  /// after another.
  var text: UInt32
  var recordByteCount: UInt32
  /// The match set ID plus one, or 0 for an event without flow matches.
  var matchListID: UInt32
  var idByteCount: UInt8
  var nameByteCount: UInt8
  var subjectByteCount: UInt8
  var attemptByteCount: UInt8
  var hasAttempt: Bool

  // The offsets of the texts after the ID.
  var nameStart: Int { Int(text) + Int(idByteCount) }
  var recordStart: Int { nameStart + Int(nameByteCount) }
  var subjectStart: Int { recordStart + Int(recordByteCount) }
  var attemptStart: Int { subjectStart + Int(subjectByteCount) }
}

/// The columns that are stored of each event besides its ``CompactRow`` and its event name.
struct RowColumns: Hashable {
  /// Whether the attempt hashes are stored, of events in flows that count by attempt.
  var attempts = false
  /// Whether the dimension values are stored.
  var dimensions = false
  /// Whether the users are stored.
  var users = false
  /// Whether ``RowDetail`` and the texts are stored.
  var details = false
  /// Whether the canonical record is among the texts.
  var records = false
  /// Whether the subject and the attempt are among the texts.
  var names = false

  /// The number of bytes of one row in all columns except attempts and texts, which are allocated separately.
  var rowBytes: Int {
    MemoryLayout<CompactRow.Packed>.stride + MemoryLayout<UInt16>.stride + (dimensions ? MemoryLayout<UInt32>.stride : 0)
      + (users ? MemoryLayout<UInt32>.stride : 0)
      + (details ? MemoryLayout<RowDetail>.stride : 0)
  }
}
