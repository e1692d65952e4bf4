import FunnelIngest
public import FunnelModel

/// The events of one subject that belong to the flows of a query, in order of time (``EventOrder``).
///
/// The events of all flows of the query are in one sequence, and so are those of all groups of the subject.
/// Events after `now` are not included.
///
/// A sequence borrows its columns: it is valid only during the call that provides it.
public struct EventSequence {
  /// The number of events, at least one.
  public let count: Int
  /// The event class ID of each event, an index into the source's ``SequenceSource/kinds``.
  public let kinds: UnsafePointer<UInt32>
  /// The time of each event in milliseconds since the epoch, ascending.
  public let times: UnsafePointer<Int64>
  /// A hash of each event's attempt, 0 for an event without one; `nil` unless a flow counts by attempt.
  public let attempts: UnsafePointer<UInt64>?
  /// The row of each event's dimension values in ``SequenceSource/segments``; `nil` unless the query uses a
  /// stored dimension.
  public let rows: UnsafePointer<UInt32>?
  /// The numbers of measured properties; `nil` unless the query uses all properties and the source measures
  /// some of them.
  public let measurements: EventMeasurements?
  /// The index of each event in the sequence that this one is a part of; `nil` if the indices are those of this
  /// sequence, or if the query does not need them.
  public let positions: UnsafePointer<UInt32>?
  // Unowned, because retaining the object would slow down every sequence of every query.
  /// The texts of the subject and its attempts; `nil` unless the query needs them (`EventNeeds`). Borrowed from
  /// the source, like the columns.
  public unowned(unsafe) let names: (any SequenceNames)?

  /// Creates a sequence that borrows its columns, each of `count` values.
  public init(
    count: Int, kinds: UnsafePointer<UInt32>, times: UnsafePointer<Int64>, attempts: UnsafePointer<UInt64>? = nil,
    rows: UnsafePointer<UInt32>? = nil, measurements: EventMeasurements? = nil, positions: UnsafePointer<UInt32>? = nil,
    names: (any SequenceNames)? = nil
  ) {
    self.measurements = measurements
    self.positions = positions
    self.names = names
    self.count = count
    self.kinds = kinds
    self.times = times
    self.attempts = attempts
    self.rows = rows
  }
}

/// The numbers of measured properties in an event sequence, which the rows of the ``SegmentTable`` do not contain.
public struct EventMeasurements: BitwiseCopyable {
  /// The value of ``starts`` for an event without measurements.
  public static let none = MeasureTable.none

  /// The index of the first measurement of each event, or ``none``.
  public let starts: UnsafePointer<UInt32>
  /// The measurements of all events. Those of one event are adjacent; the last one has ``Measurement/isLast`` set.
  public let all: UnsafePointer<Measurement>

  /// Creates a view of measurements.
  public init(starts: UnsafePointer<UInt32>, all: UnsafePointer<Measurement>) {
    self.starts = starts
    self.all = all
  }
}

/// The texts of an event sequence's subject and attempts. The sequence itself has only their hashes.
public protocol SequenceNames: AnyObject {
  /// The subject.
  var subject: String { get }
  /// Returns the attempt of the event at an index of the sequence, or `nil` if it has none.
  func attempt(ofEvent index: Int) -> String?
}

/// A source of event sequences: log files, the index of a store, or a test.
///
/// Partitions share no subject, so each can be aggregated independently, on any core and in any order.
public protocol SequenceSource: Sendable {
  /// The event classes, indexed by event class ID.
  var kinds: [EventClassTable.Entry] { get }
  /// The dimension values of the events.
  var segments: SegmentTable { get }
  /// The keys of the measured properties, indexed by ``Measurement/measure``. Their numbers are in
  /// ``EventSequence/measurements`` and not in the column ``Dimension/properties`` of ``segments``.
  var measuredKeys: [String] { get }
  /// The statistics of the log, counted while it was read or countable on demand.
  var contents: StoreContents { get }
  /// The number of partitions into which the subjects are hashed.
  var partitionCount: Int { get }

  /// Passes each event sequence of one partition to `body` once, in any order.
  func forEachSequence(inPartition number: Int, _ body: (EventSequence) throws(FunnelError) -> Void) throws(FunnelError)

  /// Releases a share of the memory that reading has used. Called by each reading thread when it has finished.
  ///
  /// - Parameters:
  ///   - number: The index of the share; each reading thread releases one.
  ///   - count: The number of shares.
  func releaseMemory(share number: Int, of count: Int)
}

extension SequenceSource {
  public var contents: StoreContents { StoreContents(LogContents()) }
  public var measuredKeys: [String] { [] }

  public func releaseMemory(share number: Int, of count: Int) {}
}
