public import FunnelHistories
public import FunnelModel

/// A report as a pure fold over journeys.
///
/// A projector is made for one flow and one query. It folds each group's journey into a small state; states of disjoint groups
/// merge, associatively and commutatively, so the same code runs on one thread, on all cores and on many machines. It asks
/// nothing of its surroundings: no clock, no files, no locale.
public protocol Projector: Sendable {
  /// What has been counted so far.
  associatedtype State: ProjectionState
  /// One line of the report.
  associatedtype Row: Sendable

  /// The report's name on the command line and its key in JSON; it is the projector's identity.
  static var name: String { get }

  /// Makes the projector for a flow.
  init(flow: FlowDefinition, query: ReportQuery)

  /// A state that has seen nothing.
  var emptyState: State { get }

  /// Counts one group.
  func fold(_ journey: Journey, into state: inout State)

  /// The report's rows of this flow, in the order of specification section 5.
  func rows(from state: State) -> [Row]
}

/// Counts that can be added up.
public protocol ProjectionState: Sendable {
  /// Adds the counts of other groups.
  mutating func merge(_ other: Self)
}
