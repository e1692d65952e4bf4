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

/// The keys on which it depends what an event means to a flow.
struct MeaningKeys: Hashable {
  private(set) var props: [String] = []
  private(set) var context: [String] = []

  var isEmpty: Bool { props.isEmpty && context.isEmpty }

  /// The keys a flow version looks at in events of a name: the one an upcast takes the step from, and those of conditions on what enters
  /// a step.
  init(name: String, in definition: FlowDefinition) {
    var readAs = name
    if let upcast = definition.upcasts.first(where: { $0.from == name }) {
      readAs = upcast.targets[0].name
      if case .field(.property(let key)) = upcast.targets[0].step { props.append(key) }
    }
    for step in definition.steps {
      guard case .event(let patterns) = step.kind else { continue }
      for pattern in patterns where pattern.event == readAs {
        for condition in pattern.conditions { insert(condition.field) }
      }
    }
  }

  private mutating func insert(_ field: EventField) {
    switch field {
    case .property(let key): if !props.contains(key) { props.append(key) }
    case .context(let key): if !context.contains(key) { context.append(key) }
    case .step: break
    }
  }
}
