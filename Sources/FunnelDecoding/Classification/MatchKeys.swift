import FunnelModel

/// The keys of `props` and `ctx` that the flow matches of one event type depend on.
package struct MatchKeys: Hashable, Sendable {
  /// The distinct keys of properties, in the order of their insertion.
  package private(set) var props: [String] = []
  /// The distinct keys of the context, in the order of their insertion.
  package private(set) var context: [String] = []

  /// Creates an empty set of keys.
  package init() {}

  /// Whether there are no keys.
  package var isEmpty: Bool { props.isEmpty && context.isEmpty }

  /// Adds the key of a field. The step is ignored: it has no key, and it is a part of the event's type.
  mutating func insert(_ field: EventField) {
    switch field {
    case .property(let key): if !props.contains(key) { props.append(key) }
    case .context(let key): if !context.contains(key) { context.append(key) }
    case .step: break
    }
  }
}

/// The optional contents of flow matches, besides the event class.
struct RequestedFields {
  /// The properties whose values a flow match contains if an upcast sets them.
  let props: Set<String>
  /// Whether a flow match contains every property that an upcast sets.
  let allProps: Bool
  /// Whether flow matches contain an ``EventDetail``.
  let details: Bool

  /// Selects the contents that reports by some dimensions need.
  init(dimensions: [Dimension], details: Bool) {
    props = Set(dimensions.compactMap { if case .property(let key) = $0 { key } else { nil } })
    allProps = dimensions.contains(.properties)
    self.details = details
  }
}
