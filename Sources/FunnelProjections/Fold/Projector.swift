public import FunnelHistories
public import FunnelModel

/// A report as a pure fold over journeys.
///
/// A projector is created for one flow and one query. It folds each group's journey into a small state. The states of disjoint groups
/// merge associatively and commutatively, so the same code runs on one thread, on all cores and on many machines. It depends on
/// nothing else: no clock, no files, no locale.
public protocol Projector: Sendable {
  /// The state: the counts so far.
  associatedtype State: ProjectionState
  /// One line of the report.
  associatedtype Row: Sendable

  /// The report's name on the command line and its key in JSON, which identifies the projector.
  static var name: String { get }

  /// Creates the projector of a flow.
  init(flow: FlowDefinition, query: ReportQuery)

  /// The state before any group has been counted.
  var emptyState: State { get }

  /// Counts one group.
  func fold(_ journey: Journey, into state: inout State)

  /// Returns the report's rows of this flow, in the order of specification section 5.
  func rows(from state: State) -> [Row]
}

/// Counts that can be added together.
public protocol ProjectionState: Sendable {
  /// Adds the counts of other groups.
  mutating func merge(_ other: Self)
}
