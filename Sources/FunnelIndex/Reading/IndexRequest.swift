internal import FunnelIngest
internal import FunnelModel

/// The parts of a query that reading the index depends on: flows, dimensions and times.
struct IndexRequest: Sendable {
  let catalog: FlowCatalog
  let flows: Set<Int>
  let now: Int64
  /// The period in which a group may start to count, from `since` and before `until`.
  let since: Int64
  let until: Int64
  /// The stored dimensions of the query.
  let dimensions: [Dimension]
  /// Those that the query asks for by itself.
  private let asked: Set<Dimension>
  /// The further needs of the reports, such as details and names.
  let needs: EventNeeds
  /// Whether each flow version counts by attempt.
  let countsByAttempt: [Bool]

  init(_ query: ReportQuery, catalog: FlowCatalog, flows: Set<Int>) {
    self.catalog = catalog
    self.flows = flows
    now = query.now.milliseconds
    since = query.since?.milliseconds ?? .min
    until = query.until?.milliseconds ?? .max
    dimensions = query.storedDimensions
    needs = query.allNeeds
    asked = Set((query.by + query.conditions.map(\.dimension)).compactMap(\.stored))
    countsByAttempt = catalog.definitions.map { (query.countBy ?? $0.countBy) == .attempt }
  }

  /// The keys of `ctx` that the dimensions use.
  var contextKeys: [String] {
    dimensions.compactMap { if case .context(let key) = $0 { key } else { nil } }
  }

  /// Returns whether the query itself, not only a report, asks for a dimension.
  func isAsked(_ dimension: Dimension) -> Bool { asked.contains(dimension) }

  /// Whether a dimension is all properties together.
  var asksForAllProps: Bool { dimensions.contains(.properties) }

  /// The keys of `props` that the dimensions use.
  var propsKeys: [String] {
    dimensions.compactMap { if case .property(let key) = $0 { key } else { nil } }
  }
}
