package import FunnelModel

/// A report on one flow version: a pure function from a group to its contribution, and from the sum of all
/// contributions to rows.
///
/// A projector depends only on the flow, the query and the group's ``GroupEvents``; it must not read a clock, files
/// or a locale. The sums of disjoint groups merge associatively and commutatively, so a projector runs on one thread, on all cores or
/// on many machines with the same result.
///
/// A projector numbers its counters, durations and other IDs from 0. ``FlowProjection`` translates them to ranges of
/// the aggregate.
// A projector is a class, because a struct that holds tables would be copied for every group.
package protocol Projector: AnyObject, Sendable {
  /// One row of the report.
  associatedtype Row: Sendable

  /// Whether contributions depend on the chain. If no projector of a projection reads it, matching is skipped.
  static var readsChain: Bool { get }

  /// Returns the data of events that the projector needs besides their event classes. The default is none.
  static func needs(of flow: FlowDefinition) -> EventNeeds

  /// Creates the projector of a query about one flow version.
  init(_ query: FlowQuery)

  /// The number of counters.
  var counterCount: Int { get }
  /// The number of durations.
  var durationCount: Int { get }
  /// Whether the sum and the histogram of each duration are kept, in addition to quantiles. The default is `false`.
  static var hasHistograms: Bool { get }
  /// The keys of each of the value counts (``Contribution/noteValues(_:of:soFar:)``), or `nil` for value counts of
  /// constant values. The default is none.
  var valueKeys: [[Dimension]?] { get }
  /// The number of property counts (``Contribution/noteProperties(_:of:)``). The default is 0.
  var propertiesCount: Int { get }
  /// The number of examples (``Contribution/noteExample(_:)``). The default is 0.
  var exampleCount: Int { get }
  /// The keys of each of the cross counts (``Contribution/noteCrossing(_:of:isSuccess:)``). The default is none.
  var crossings: [CrossShape] { get }
  /// Returns a new rule about all groups of a subject, or `nil` if the projector has none, which is the default.
  ///
  /// Events that break the rule have ``GroupEvents/breaksSubjectRule(_:_:)``.
  func makeSubjectRule() -> (any SubjectRule)?

  /// Adds the contribution of a group.
  ///
  /// Groups with the same sequence of event classes share a cached contribution, unless times were read with
  /// ``Contribution/accessTimes()``. Debug builds compare a sample of the cached contributions with new ones.
  ///
  /// - Parameters:
  ///   - events: The events of the group in order, at least one.
  ///   - chain: The chain of the group, with a matched step count of 0 if the group has no anchor. Undefined unless a
  ///     projector of the projection has ``readsChain``.
  ///   - contribution: The contribution of the group, which may have sections of other projectors.
  func contribute(_ events: GroupEvents, along chain: ChainMatch, into contribution: inout Contribution)

  /// Returns the rows of the report for the sums of all groups.
  ///
  /// There is one row for each segment (and permission), in the order of ``SegmentedCounts/sized(by:)``.
  func rows(from segments: SegmentedCounts) -> [Row]
}

extension Projector {
  package static func needs(of flow: FlowDefinition) -> EventNeeds { EventNeeds() }
  package static var hasHistograms: Bool { false }
  package var valueKeys: [[Dimension]?] { [] }
  package var propertiesCount: Int { 0 }
  package var exampleCount: Int { 0 }
  package var crossings: [CrossShape] { [] }
  package func makeSubjectRule() -> (any SubjectRule)? { nil }
}

/// A rule about the events of a subject in all its groups of one flow version.
package protocol SubjectRule {
  /// Returns whether the next event of the subject breaks the rule. Events are passed in order.
  ///
  /// - Parameter detail: The detail of the event, or `nil` unless a projector needs details.
  mutating func isBroken(by event: TimedEvent, detail: EventDetail?) -> Bool
  /// Resets the rule before the first event of a subject.
  mutating func reset()
}
