public import FunnelHistories
public import FunnelModel

/// A report as a pure fold over the groups of one flow version.
///
/// A projector says what one group counts for, and makes rows of the sums. It depends on nothing but the flow, the query and the group: no
/// clock, no files, no locale. The sums of disjoint groups merge associatively and commutatively, so the same projector runs on one
/// thread, on all cores and on many machines.
///
/// It is a class, because it holds tables, and a value that does would be copied for every group.
///
/// A projector numbers its counters and durations from 0. The fold of several projectors gives each a range of its own (``FlowProjection``).
public protocol Projector: AnyObject, Sendable {
  /// One row of the report.
  associatedtype Row: Sendable

  /// Whether the counts depend on the chain of required steps. If it is false for all projectors of a fold, matching is skipped.
  static var readsChain: Bool { get }

  /// Returns what counting a flow needs of its events besides their meaning: properties, details, names.
  static func needs(of flow: FlowDefinition) -> EventNeeds

  /// Creates the projector of a query about one flow version.
  init(_ query: FlowQuery)

  /// The number of counters of a segment.
  var counterCount: Int { get }
  /// The number of durations of a segment.
  var durationCount: Int { get }
  /// Whether the sum and the histogram of the durations are kept, not only what quantiles need.
  static var hasHistograms: Bool { get }
  /// The keys of each slot in which values are counted (``Outline/noteValues(_:of:soFar:)``); nil for a slot whose values the projector
  /// makes.
  var valueKeys: [[Dimension]?] { get }
  /// The number of slots in which all properties of events are counted (``Outline/noteProperties(_:of:)``).
  var propertiesCount: Int { get }
  /// The number of slots for examples of a segment.
  var exampleCount: Int { get }
  /// Returns a rule about all groups of a subject, which fills in ``Outline/eventsAgainstOtherGroups``; nil if there is none.
  func makeSubjectRule() -> (any SubjectRule)?

  /// Adds what a group counts for to an outline.
  ///
  /// Outlines are cached (``ContributionCache``). Two groups with equal sequences of event kinds must therefore have equal outlines, unless the
  /// window or the time range cuts one of them short. So an outline may depend on the order and the meaning of the events, and on their
  /// times only by comparing them with ``FlowQuery/clock`` and ``FlowQuery/span``.
  ///
  /// - Parameters:
  ///   - events: The events of the group in order, at least one.
  ///   - chain: The matched chain; of level 0 if the group has no anchor, or if no projector reads it.
  func contribute(_ events: UnsafeBufferPointer<FlowEvent>, along chain: ChainMatch, into contribution: inout Contribution)

  /// Returns the rows of the report, one for each segment (and permission), in the order of ``SegmentedCounts/sized(by:)``.
  func rows(from segments: SegmentedCounts) -> [Row]
}

extension Projector {
  public static func needs(of flow: FlowDefinition) -> EventNeeds { EventNeeds() }
  public static var hasHistograms: Bool { false }
  public var valueKeys: [[Dimension]?] { [] }
  public var propertiesCount: Int { 0 }
  public var exampleCount: Int { 0 }
  public func makeSubjectRule() -> (any SubjectRule)? { nil }
}

/// A rule about the events of a subject in all its groups of one flow version. It is told the events in order.
public protocol SubjectRule {
  /// Returns whether an event breaks the rule.
  mutating func isBroken(by event: FlowEvent, detail: EventDetail?) -> Bool
  /// Forgets the events so far, because those of another subject follow.
  mutating func reset()
}
