import FunnelHistories
import FunnelModel

/// The plan of a fold: the selected reports of the flow versions that the query is about.
struct FoldPlan: Sendable {
  let query: ReportQuery
  /// The flow versions, in the order of the catalog.
  let flows: [Flow]
  /// The index in ``flows`` of each flow version of the catalog, -1 if the report is not about it.
  let placeOfFlow: [Int32]

  /// The plan for one flow version. It is a class so that it is not copied when it is used for every group.
  final class Flow: Sendable {
    let projector: ReportProjector
    let clock: WindowClock
    /// The initial state of each thread's tally. It is made once, so that the threads share the storage they do not change.
    let emptyTally: Tally
    /// Whether each attempt at the flow is a separate group.
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
