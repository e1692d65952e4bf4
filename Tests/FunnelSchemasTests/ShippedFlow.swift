import FunnelModel
import FunnelSchemas
import Testing

extension FlowDefinition {
  /// Returns a built-in definition by its reference, such as `cleaner/permissions_flow@1`.
  static func shipped(_ reference: String) throws -> FlowDefinition {
    try #require(BuiltInSchemas.flows.first { $0.reference == reference })
  }

  /// Returns the reason for which ingest refuses an event with certain properties, or nil if it does not.
  func refusal(of event: String, step: String? = nil, _ props: [String: PropertyValue]) -> String? {
    CompiledPropertySchemas(self).rules(event: event, step: step)?.violation { props[$0] }
  }

  /// Returns the value of a property as the flow reads it from an event, through an upcast if there is one.
  func value(of key: String, in event: String, _ props: [String: PropertyValue]) -> PropertyValue {
    let logged = props[key] ?? .null
    guard let target = upcasts.first(where: { $0.from == event })?.targets.first else { return logged }
    guard case .mapped(.property(key), let mapping)? = target.props[key] else { return logged }
    return mapping.value(for: logged)
  }

  /// Returns what an event is worth in a unit as an outcome, or nil if it is worth nothing.
  func worth(of event: String, in unit: String, _ props: [String: PropertyValue] = [:]) throws -> String? {
    let outcome = try #require(outcomes.first { $0.events.contains(event) })
    return outcome.amount(in: unit) { value(of: $0, in: event, props) }?.description
  }

  /// The names of the outcomes, successes with an exclamation mark.
  var outcomeNames: [String] { outcomes.map { $0.isSuccess ? "\($0.name)!" : $0.name } }
}
