import FunnelModel

/// The projections to aggregate for one query: one for each flow version that the query is about.
struct FoldPlan: Sendable {
  let query: ReportQuery
  /// The projections in the order of the catalog.
  let flows: [FlowProjection]
  /// The index in ``flows`` of each flow version of the catalog, or ``absent`` if the query is not about it.
  let placeOfFlow: [Int32]

  /// The index of a flow version that the query is not about.
  // An Optional would take twice the memory in a table that is read for every event.
  static let absent: Int32 = -1

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - flows: The indices in the catalog of the flow versions that the query is about.
  ///   - projectors: The types of the projectors, each at most once.
  init(catalog: FlowCatalog, flows: Set<Int>, query: ReportQuery, projectors: [any Projector.Type]) {
    self.query = query
    var projections: [FlowProjection] = []
    var placeOfFlow: [Int32] = []
    for (index, definition) in catalog.definitions.enumerated() {
      guard flows.contains(index) else {
        placeOfFlow.append(Self.absent)
        continue
      }
      placeOfFlow.append(Int32(projections.count))
      projections.append(FlowProjection(flow: definition, query: query, projectors: projectors))
    }
    self.flows = projections
    self.placeOfFlow = placeOfFlow
  }
}
