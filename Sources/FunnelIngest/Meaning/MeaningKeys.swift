import FunnelModel

/// The keys of `props` and `ctx` that the meaning of the events of one type depends on.
package struct MeaningKeys: Hashable, Sendable {
  package private(set) var props: [String] = []
  package private(set) var context: [String] = []

  package init() {}

  package var isEmpty: Bool { props.isEmpty && context.isEmpty }

  /// Adds the key of a field. The step is ignored: it is not a key but part of an event's type.
  mutating func insert(_ field: EventField) {
    switch field {
    case .property(let key): if !props.contains(key) { props.append(key) }
    case .context(let key): if !context.contains(key) { context.append(key) }
    case .step: break
    }
  }
}
