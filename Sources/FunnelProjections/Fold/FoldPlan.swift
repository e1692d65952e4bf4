import FunnelModel

/// The projections to aggregate for one query: one for each flow version that the query is about.
struct FoldPlan: Sendable {
  let query: ReportQuery
  /// Whether the query has neither dimensions nor conditions.
  let isWhole: Bool
  /// The projections in the order of the catalog.
  let flows: [FlowProjection]
  /// The index in ``flows`` of each flow version of the catalog, or ``absent`` if the query is not about it.
  private let indexOfCatalogFlow: [Int32]
  /// Whether the attempts at each flow version of the catalog are separate groups.
  let countsByAttempt: [Bool]
  /// The catalog indices of the return flows, or an empty range if no projector reads returns.
  let returnFlows: Range<Int>
  /// The index in ``returnFlows`` of the return flow of each of ``flows``, or `nil` without one.
  let returnFlowOfFlow: [Int?]
  // An Optional would take twice the memory in a table that is read for every event.
  private static let absent: Int32 = -1

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - flows: The indices in the catalog of the flow versions that the query is about.
  ///   - projectors: The types of the projectors, each at most once.
  init(catalog: FlowCatalog, flows: Set<Int>, query: ReportQuery, projectors: [any Projector.Type]) {
    self.query = query
    isWhole = query.by.isEmpty && query.conditions.isEmpty
    let included = catalog.definitions.indices.filter(flows.contains)
    self.flows = included.map { FlowProjection(flow: catalog.definitions[$0], query: query, projectors: projectors) }
    var indices = Array(repeating: Self.absent, count: catalog.definitions.count)
    for (index, flow) in included.enumerated() { indices[flow] = Int32(index) }
    indexOfCatalogFlow = indices
    returnFlows = query.retention == nil ? 0..<0 : catalog.returnIndices
    returnFlowOfFlow = included.map { [returnFlows] flow in
      returnFlows.isEmpty
        ? nil : catalog.returnIndex(ofApp: catalog.definitions[flow].app).map { $0 - returnFlows.lowerBound }
    }
    countsByAttempt = indices.map { [flows = self.flows] in $0 != Self.absent && flows[Int($0)].query.countsByAttempt }
  }

  /// Returns the index in ``flows`` of a flow version of the catalog, or `nil` if the query is not about it.
  @inline(__always)
  func index(ofCatalogFlow flow: Int32) -> Int? {
    let index = indexOfCatalogFlow[Int(flow)]
    return index == Self.absent ? nil : Int(index)
  }
}
