import FunnelDecoding
package import FunnelModel

/// The events of one subject that belong to the flows of a query, in order of time (``EventOrder``).
///
/// The events of all flows of the query are in one sequence, and so are those of all groups of the subject.
/// Events after `now` are not included.
///
/// **Invariants:** a sequence has at least one event. It borrows its columns, which have one value for each event,
/// and is valid only during the call that provides it.
@usableFromInline
package struct EventSequence {
  /// The event class ID of each event, an index into the source's ``SequenceSource/eventClasses``.
  @usableFromInline package let classIDs: BorrowedColumn<UInt32>
  /// The time of each event in milliseconds since the epoch, ascending.
  package let times: BorrowedColumn<Int64>
  /// A hash of each event's attempt, 0 for an event without one; `nil` unless a flow counts by attempt.
  package let attempts: BorrowedColumn<UInt64>?
  /// The row of each event's dimension values in ``SequenceSource/segments``; `nil` unless the query uses a
  /// stored dimension.
  package let rows: BorrowedColumn<UInt32>?
  /// The numbers of measured properties; `nil` unless the query uses all properties and the source measures
  /// some of them.
  package let measurements: EventMeasurements?
  /// The index of each event in the sequence that this one is a part of; `nil` if the indices are those of this
  /// sequence, or if the query does not need them.
  package let positions: BorrowedColumn<UInt32>?
  // Unowned, because retaining the object would slow down every sequence of every query.
  /// The texts of the subject and its attempts; `nil` unless the query needs them (`EventNeeds`). Borrowed from
  /// the source, like the columns.
  package unowned(unsafe) let names: (any SequenceNames)?

  /// Creates a sequence that borrows its columns.
  package init(
    classIDs: BorrowedColumn<UInt32>, times: BorrowedColumn<Int64>, attempts: BorrowedColumn<UInt64>? = nil,
    rows: BorrowedColumn<UInt32>? = nil, measurements: EventMeasurements? = nil,
    positions: BorrowedColumn<UInt32>? = nil, names: (any SequenceNames)? = nil
  ) {
    let count = classIDs.count
    precondition(count > 0 && times.count == count, "each event has a class and a time")
    precondition((attempts?.count ?? count) == count && (rows?.count ?? count) == count, "a column has all events")
    precondition((measurements?.starts.count ?? count) == count, "each event has measurements or none")
    precondition((positions?.count ?? count) == count, "each event has a position")
    self.classIDs = classIDs
    self.times = times
    self.attempts = attempts
    self.rows = rows
    self.measurements = measurements
    self.positions = positions
    self.names = names
  }

  /// The number of events, at least one.
  @inlinable @inline(__always)
  package var count: Int { classIDs.count }

  /// Returns the events up to a time in milliseconds since the epoch, or `nil` if all events are later.
  @inline(__always)
  package func upTo(_ moment: Int64) -> EventSequence? {
    if times[count - 1] <= moment { return self }
    var kept = count - 1
    while kept > 0, times[kept - 1] > moment { kept -= 1 }
    return kept > 0 ? slice(0..<kept) : nil
  }

  /// Returns the events of a range of indices, which must not be empty.
  package func slice(_ range: Range<Int>) -> EventSequence {
    EventSequence(
      classIDs: classIDs[range], times: times[range], attempts: attempts?[range], rows: rows?[range],
      measurements: measurements.map { EventMeasurements(starts: $0.starts[range], all: $0.all) },
      positions: positions?[range], names: names)
  }
}

/// The numbers of measured properties in an event sequence, which the rows of the ``SegmentTable`` do not contain.
package struct EventMeasurements: BitwiseCopyable {
  /// The value of ``starts`` for an event without measurements. An `Optional` would double the size of the column.
  package static let none = UInt32.max

  /// The index of the first measurement of each event, or ``none``.
  package let starts: BorrowedColumn<UInt32>
  /// The measurements of all events. Those of one event are adjacent; the last one has ``Measurement/isLast`` set.
  package let all: BorrowedColumn<Measurement>

  /// Creates a view of measurements.
  package init(starts: BorrowedColumn<UInt32>, all: BorrowedColumn<Measurement>) {
    self.starts = starts
    self.all = all
  }
}

/// The texts of an event sequence's person, subjects and attempts. The sequence itself has only hashes of attempts.
package protocol SequenceNames: AnyObject {
  /// The subject of the events. In a sequence of a person with several subjects, the person.
  var subject: String { get }
  /// The person to whom the events belong: a user, or the subject itself (specification section 13).
  var person: String { get }
  /// The person and all its subjects, by which conditions select it.
  var aliases: [String] { get }
  /// Returns the attempt of the event at an index of the sequence, or `nil` if it has none.
  func attempt(ofEvent index: Int) -> String?
}

/// A source of event sequences: log files, the index of a store, or a test.
///
/// Partitions share no subject, so each can be aggregated independently, on any core and in any order.
package protocol SequenceSource: Sendable {
  /// The event classes, indexed by event class ID.
  var eventClasses: [EventClassTable.Entry] { get }
  /// The dimension values of the events.
  var segments: SegmentTable { get }
  /// The keys of the measured properties, indexed by ``Measurement/measure``. Their numbers are in
  /// ``EventSequence/measurements`` and not in the column ``Dimension/properties`` of ``segments``.
  var measuredKeys: [String] { get }
  /// The statistics of the log, counted while it was read or countable on demand.
  var contents: StoreContents { get }
  /// The number of partitions. Each subject is in one partition, and so is each person with several subjects.
  var partitionCount: Int { get }
  /// The users that are not merged, because too many subjects name them.
  var crowdedUsers: [CrowdedUser] { get }

  /// Passes each event sequence of one partition to `body` once, in any order.
  ///
  /// - Parameter moment: The time in milliseconds since the epoch after which events are ignored, also by the rule that tells
  ///   to which person an event belongs.
  func forEachSequence(
    inPartition number: Int, upTo moment: Int64, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError)

  /// Releases a share of the memory that reading has used. Called by each reading thread when it has finished.
  ///
  /// - Parameters:
  ///   - number: The index of the share; each reading thread releases one.
  ///   - count: The number of shares.
  func releaseMemory(share number: Int, of count: Int)
}

extension SequenceSource {
  package var contents: StoreContents { StoreContents(LogContents()) }
  package var measuredKeys: [String] { [] }
  package var crowdedUsers: [CrowdedUser] { [] }

  /// Passes each event sequence of one partition to `body` once, in any order, with all events up to the time of the report.
  package func forEachSequence(
    inPartition number: Int, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    try forEachSequence(inPartition: number, upTo: .max, body)
  }

  package func releaseMemory(share number: Int, of count: Int) {}
}
