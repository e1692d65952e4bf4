/// Determines which events can occur in a flow, given the schemas and upcasts of its definition.
struct ReachableEvents {
  let definition: FlowDefinition
  /// The upcasts by the logged name.
  private let upcasts: [String: FlowDefinition.Upcast]
  /// The names of events that result from upcasts. They were validated under their logged names, so the schemas
  /// of these names do not restrict them.
  private let upcastTargets: Set<String>

  /// Creates the events of a definition.
  init(of definition: FlowDefinition) {
    self.definition = definition
    upcasts = Dictionary(definition.upcasts.map { ($0.from, $0) }) { first, _ in first }
    upcastTargets = Set(definition.upcasts.flatMap(\.targets).map(\.name))
  }

  /// Returns the reason why no event of a name can meet all of the conditions, or `nil` if one may.
  func obstacle(to name: String, _ conditions: [PropertyCondition]) -> String? {
    if let upcast = upcasts[name], !upcastTargets.contains(name) {
      let names = upcast.targets.map(\.name.quoted).joined(separator: " and ")
      return "an upcast reads \(name.quoted) as \(names)"
    }
    let step = conditions.first { $0.field == .step }?.value
    if let step, let obstacle = Self.obstacle(toStep: step) { return obstacle }
    guard !upcastTargets.contains(name) else { return nil }
    let demands = demands(on: name, step: step)
    for case (.property(let key), let value) in conditions.map({ ($0.field, $0.value) }) {
      if value == .null, demands.contains(where: { $0.required.contains(key) }) {
        return "props.\(key.printable) of \(name.quoted) is required, so it is never absent"
      }
      for schema in demands.compactMap({ $0.props[key] }) where value != .null {
        if let violation = schema.violation(of: value, key: key) { return "the schema of \(name.quoted) says \(violation)" }
      }
    }
    return nil
  }

  /// Returns the reason why no event has a step ID, or `nil` if one may.
  private static func obstacle(toStep value: PropertyValue) -> String? {
    switch value {
    case .null: nil
    case .string(let text):
      ConfigurationReader.isName(text) ? nil : "\(text.quoted) is not a valid step id, \(ConfigurationReader.nameRule)"
    default: "a step id is a string, not \(value)"
    }
  }

  /// Returns the schemas and required properties of events of a name, and of a step if one is given.
  private func demands(on name: String, step: PropertyValue?) -> [(props: [String: PropertySchema], required: [String])] {
    var result: [(props: [String: PropertySchema], required: [String])] = []
    let declarations = definition.events.filter { $0.name == name }
    result += declarations.map { ($0.props, $0.required) }
    guard StepEventName.isAboutStep(name), case .string(let id)? = step else { return result }
    result += declarations.flatMap(\.steps).filter { $0.step == id }.map { ($0.props, $0.required) }
    result += definition.steps.filter { $0.id == id }.map { ($0.props, $0.requiredProps) }
    return result
  }
}
