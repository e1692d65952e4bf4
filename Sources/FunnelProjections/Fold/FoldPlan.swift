import FunnelHistories
import FunnelModel

/// What a fold computes: the reports of the flow versions it is about.
struct FoldPlan: Sendable {
  let query: ReportQuery
  /// In the order of the catalog.
  let flows: [Flow]
  /// The place among the flows of each flow version of the catalog, -1 where the report is not about it.
  let placeOfFlow: [Int32]

  /// One flow version. An object, so that what is asked of it for every group is not copied first.
  final class Flow: Sendable {
    let projector: ReportProjector
    let clock: WindowClock
    /// Where threads begin; made once, since they share what they don't change.
    let emptyTally: Tally
    /// Whether each attempt at the flow is a group of its own.
    let countsByAttempt: Bool

    init(projector: ReportProjector, countsByAttempt: Bool) {
      self.projector = projector
      self.countsByAttempt = countsByAttempt
      clock = projector.clock
      emptyTally = projector.emptyTally
    }

    func outline(_ events: UnsafeBufferPointer<JourneyEvent>, into outline: inout Outline, scratch: inout OutlineScratch) {
      projector.outline(events, into: &outline, scratch: &scratch)
    }
  }

  init(catalog: FlowCatalog, flows: Set<Int>, query: ReportQuery, selection: ReportSelection) {
    self.query = query
    var plans: [Flow] = []
    var placeOfFlow: [Int32] = []
    for (index, definition) in catalog.definitions.enumerated() {
      guard flows.contains(index) else {
        placeOfFlow.append(-1)
        continue
      }
      placeOfFlow.append(Int32(plans.count))
      plans.append(
        Flow(
          projector: ReportProjector(flow: definition, query: query, selection: selection),
          countsByAttempt: (query.countBy ?? definition.countBy) == .attempt))
    }
    self.flows = plans
    self.placeOfFlow = placeOfFlow
  }
}
