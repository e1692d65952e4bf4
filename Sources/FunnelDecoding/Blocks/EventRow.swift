/// The fields of an event that every report needs, in a fixed size. The hashes are valid in this process only;
/// see ``ProcessHash``.
package struct EventRow: BitwiseCopyable, Sendable {
  /// A hash of the subject.
  package var subject: Hash128
  /// A hash of app, name and id: together with the subject, it identifies the event.
  package var identity: UInt64
  /// The time of the event, in milliseconds since 1970.
  package var milliseconds: Int64
  /// The index of the event's flow matches in ``BlockDecoder/flowMatchLists``, or 0 if the event belongs to no flow version.
  package var matchListID: UInt32
  /// The index of the event's dimension values in ``EventRows/dimensionRows``. Unused if no dimensions are wanted.
  package var dimensions: UInt32
  /// A hash of the attempt, at least 1, or 0 if the event has no attempt or attempts are not wanted.
  package var attempt: UInt64
  /// The number of the event's name in the block's ``InputCounts/contents``.
  package var name: UInt32
  /// The index plus one of the event's user in ``EventRows/users``, or 0 if it has none or users are not wanted.
  package var user: UInt32
}

/// The fields of an event that a report needs to order two events of one group that have the same time.
package struct EventRowDetail: BitwiseCopyable, Sendable {
  /// The `seq` of the event, or 0 if it has none.
  package var sequence: Int64
  /// The offset of the event's texts in ``EventRows/texts``: the ID, the name and, if they are wanted, the
  /// record, the subject and the attempt, one after another.
  package var text: Int
  package var idByteCount: UInt8
  package var nameByteCount: UInt8
  package var recordByteCount: UInt32
  package var subjectByteCount: UInt8 = 0
  package var attemptByteCount: UInt8 = 0
  /// Whether the event has an attempt.
  package var hasAttempt = false

  /// The number of bytes of all texts.
  package var textByteCount: Int {
    Int(idByteCount) + Int(nameByteCount) + Int(recordByteCount) + Int(subjectByteCount) + Int(attemptByteCount)
  }
}

/// A growing array of rows that can't be copied.
///
/// An `Array` checks its uniqueness for each append, which takes longer than writing a row.
struct EventRowBuffer: ~Copyable {
  private var arena = Arena()
  private var table: Table<EventRow>
  private var count = 0

  private static let capacityMin = 4096

  /// Creates an empty buffer.
  init() {
    table = arena.table(count: Self.capacityMin)
  }

  /// The rows, valid until the buffer changes.
  var rows: Span<EventRow> {
    @_lifetime(borrow self)
    get { _overrideLifetime(table.span(first: count), borrowing: self) }
  }

  /// Appends a row.
  @inline(__always)
  mutating func append(_ row: EventRow) {
    if count == table.count { grow() }
    table[count] = row
    count &+= 1
  }

  /// Removes all rows and keeps the capacity.
  mutating func removeAll() { count = 0 }

  @inline(never)
  private mutating func grow() {
    let larger = Arena()
    let copy = larger.table(of: EventRow.self, count: 2 * table.count)
    copy.copy(first: count, of: table)
    arena = larger
    table = copy
  }
}
