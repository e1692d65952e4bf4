internal import FunnelIngest
internal import FunnelModel

/// The parts of a report query that determine how the index is read: flows, dimensions and times.
struct IndexRequest: Sendable {
  let catalog: FlowCatalog
  /// The flow versions of the report, as indices in the catalog.
  let flows: Set<Int>
  /// The time after which events are ignored, in milliseconds since the epoch.
  let now: Int64
  /// The first time at which a group may start, in milliseconds since the epoch.
  let since: Int64
  /// The end of the period in which a group may start, exclusive, in milliseconds since the epoch.
  let until: Int64
  /// The stored dimensions of the query.
  let dimensions: [Dimension]
  /// The stored dimensions that the query itself uses, not only a report.
  private let asked: Set<Dimension>
  /// The further needs of the reports, such as event details and names.
  let needs: EventNeeds
  /// Whether each flow version of the catalog counts by attempt.
  let countsByAttempt: [Bool]

  /// Extracts the parts from a query.
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

  /// Returns whether the query itself, not only a report, uses a dimension.
  func isAsked(_ dimension: Dimension) -> Bool { asked.contains(dimension) }

  /// Whether the query uses all properties as one dimension.
  var asksForAllProps: Bool { dimensions.contains(.properties) }

  /// The keys of `props` that the dimensions use.
  var propsKeys: [String] {
    dimensions.compactMap { if case .property(let key) = $0 { key } else { nil } }
  }
}
