import FunnelIngest
public import FunnelModel

/// All events of one subject that a query is about, whatever flow they belong to, in the order of specification section 3.
///
/// That order is (`ts`, `seq` or 0, position of the step entered, `id`, `name`), so the events of each of the subject's groups are in order
/// too. Events of other flows, of no flow, and after `now` are left out.
///
/// A history borrows its columns: it is valid only during the call that provides it.
public struct EventSequence {
  /// The number of events, at least one.
  public let count: Int
  /// The meaning of each event, as a code of the source's ``SequenceSource/kinds``.
  public let kinds: UnsafePointer<UInt32>
  /// The time of each event in milliseconds since the epoch, ascending.
  public let times: UnsafePointer<Int64>
  /// A hash of each event's attempt, 0 if it has none; nil unless a flow counts by attempt.
  public let attempts: UnsafePointer<UInt64>?
  /// The row of each event's dimension values in ``SequenceSource/segments``; nil unless the query uses a stored dimension.
  public let rows: UnsafePointer<UInt32>?
  /// The numbers of the events for measured properties; nil unless the query asks for all properties and the source measures some.
  public let measurements: EventMeasurements?
  /// The index of each event in the history that this one was cut out of; nil if it is whole, or if nobody asks.
  public let positions: UnsafePointer<UInt32>?
  /// The texts of the subject and its attempts; nil unless the query asks for them (`EventNeeds`). They are the source's, like the columns:
  /// keeping a reference would cost every history of every query some of its time.
  public unowned(unsafe) let names: (any SequenceNames)?

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

/// The numbers of a history's events for measured properties, which the rows of its ``SegmentTable`` do not contain.
public struct EventMeasurements: BitwiseCopyable {
  /// The value of ``starts`` for an event without measurements.
  public static let none = MeasureTable.none

  /// The index of the first measurement of each event, or ``none``.
  public let starts: UnsafePointer<UInt32>
  /// The measurements of all events; those of one event follow each other up to the one that is its last.
  public let all: UnsafePointer<Measurement>

  public init(starts: UnsafePointer<UInt32>, all: UnsafePointer<Measurement>) {
    self.starts = starts
    self.all = all
  }
}

/// The texts of a history's subject and attempts, which a history itself has only as hashes.
public protocol SequenceNames: AnyObject {
  /// The subject.
  var subject: String { get }
  /// Returns the attempt of an event, given its index in the history; nil if it has none.
  func attempt(ofEvent index: Int) -> String?
}

/// A source of histories: raw files, a store's index, a test.
///
/// Partitions share no subject, so each can be folded on its own, on any core and in any order.
public protocol SequenceSource: Sendable {
  /// The kinds that the codes of the histories refer to.
  var kinds: [EventClassTable.Entry] { get }
  /// The dimension values of the events.
  var segments: SegmentTable { get }
  /// The keys of the properties whose numbers are in the histories' ``EventSequence/measurements`` and not in the segments' columns
  /// ``Dimension/properties``, by the number of the measure.
  var measuredKeys: [String] { get }
  /// What was counted of the events while they were read, or can be counted.
  var contents: StoreContents { get }
  /// The number of partitions into which the subjects are hashed.
  var partitionCount: Int { get }

  /// Passes each history of one partition to `body` once, in any order.
  func forEachSequence(inPartition number: Int, _ body: (EventSequence) throws(FunnelError) -> Void) throws(FunnelError)

  /// Releases a share of the memory that reading has filled, when reading has ended or is about to end.
  ///
  /// - Parameters:
  ///   - number: The number of the share, from 0; each reading thread releases one.
  ///   - count: The number of shares.
  func releaseMemory(share number: Int, of count: Int)
}

extension SequenceSource {
  public var contents: StoreContents { StoreContents(LogContents()) }
  public var measuredKeys: [String] { [] }

  public func releaseMemory(share number: Int, of count: Int) {}
}
