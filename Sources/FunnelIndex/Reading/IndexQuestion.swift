internal import FunnelIngest
internal import FunnelModel

/// What a report wants of the index: which flows, which values, and when.
struct IndexQuestion: Sendable {
  let catalog: FlowCatalog
  let flows: Set<Int>
  let now: Int64
  /// The first and last moment at which a group may begin to count.
  let since: Int64
  let until: Int64
  /// The stored dimensions of the query.
  let dimensions: [Dimension]
  /// Of each flow version, whether it counts by attempt.
  let countsByAttempt: [Bool]

  init(_ query: ReportQuery, catalog: FlowCatalog, flows: Set<Int>) {
    self.catalog = catalog
    self.flows = flows
    now = query.now.milliseconds
    since = query.since?.milliseconds ?? .min
    until = query.until?.milliseconds ?? .max
    dimensions = SegmentTable(dimensions: query.by + query.conditions.map(\.dimension)).dimensions
    countsByAttempt = catalog.definitions.map { (query.countBy ?? $0.countBy) == .attempt }
  }

  /// The keys of `ctx` the dimensions name.
  var contextKeys: [String] {
    dimensions.compactMap { if case .context(let key) = $0 { key } else { nil } }
  }

  /// The keys of `props` the dimensions name.
  var propsKeys: [String] {
    dimensions.compactMap { if case .property(let key) = $0 { key } else { nil } }
  }
}
