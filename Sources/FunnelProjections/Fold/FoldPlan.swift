import FunnelModel

/// The plan of a fold: the projections of the flow versions that the query is about.
struct FoldPlan: Sendable {
  let query: ReportQuery
  /// The flow versions, in the order of the catalog.
  let flows: [FlowProjection]
  /// The index in ``flows`` of each flow version of the catalog, -1 if the query is not about it.
  let placeOfFlow: [Int32]

  init(catalog: FlowCatalog, flows: Set<Int>, query: ReportQuery, projectors: [any Projector.Type]) {
    self.query = query
    var projections: [FlowProjection] = []
    var placeOfFlow: [Int32] = []
    for (index, definition) in catalog.definitions.enumerated() {
      guard flows.contains(index) else {
        placeOfFlow.append(-1)
        continue
      }
      placeOfFlow.append(Int32(projections.count))
      projections.append(FlowProjection(flow: definition, query: query, projectors: projectors))
    }
    self.flows = projections
    self.placeOfFlow = placeOfFlow
  }
}
