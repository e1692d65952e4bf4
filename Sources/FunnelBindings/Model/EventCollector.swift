import FunnelModel

/// Collects the events that a flow definition declares, with the schemas of their properties.
struct EventCollector {
  private let flow: FlowDefinition
  /// The steps of the flow, then step IDs that only conditions mention, with the ID as label.
  let steps: [FlowBindings.ID]
  /// The distinct event names: of steps, permissions, outcomes, exclusions, then others that the definition lists.
  private let names: [String]
  /// The conditions on the events that enter a step, by event name.
  private let conditions: [String: [PropertyCondition]]

  init(_ flow: FlowDefinition) {
    self.flow = flow
    var patterns: [EventPattern] = []
    for case .event(let ofStep) in flow.steps.map(\.kind) { patterns += ofStep }
    conditions = Dictionary(grouping: patterns, by: \.event).mapValues { $0.flatMap(\.conditions) }
    let ids = flow.steps.map { FlowBindings.ID(id: $0.id, label: $0.label) }
    let otherIDs = Self.unique(patterns.flatMap(\.conditions).compactMap(Self.stepID)).filter { id in
      !ids.contains { $0.id == id }
    }
    steps = ids + otherIDs.map { FlowBindings.ID(id: $0, label: $0) }
    var names = StepEventName.allCases.map(\.rawValue) + patterns.map(\.event)
    for permission in flow.permissions {
      names += PermissionEventName.Suffix.allCases.map { PermissionEventName.name($0, of: permission.name) }
    }
    names += flow.outcomes.flatMap(\.events) + flow.exclusions.map(\.event) + flow.events.map(\.name)
    self.names = Self.unique(names)
  }

  /// Returns the events and the enumerations of their properties.
  func bindings() -> (events: [FlowBindings.Event], enumerations: [FlowBindings.Enumeration]) {
    // An event that an upcast renames was logged only by older builds.
    let names = names.filter { name in
      !flow.upcasts.contains { upcast in upcast.from == name && !upcast.targets.contains { $0.name == name } }
    }
    var types = EnumerationTable(names.flatMap(allProperties))
    let events = names.map { event($0, &types) }
    return (events, types.enumerations)
  }

  /// Returns the event with a name.
  private func event(_ name: String, _ types: inout EnumerationTable) -> FlowBindings.Event {
    let common = properties(of: name, step: nil)
    guard StepEventName.isAboutStep(name) else {
      let namesStep = conditions[name]?.contains { $0.field == .step } == true
      let parameters = common.map { types.parameter($0) }
      return FlowBindings.Event(name: name, form: .uniform(namesStep ? .optional : .none, parameters))
    }
    let byStep = steps.map { properties(of: name, step: $0.id) }
    guard byStep.contains(where: { $0 != common }) else {
      return FlowBindings.Event(name: name, form: .uniform(.required, common.map { types.parameter($0) }))
    }
    return FlowBindings.Event(name: name, form: .byStep(byStep.map { $0.map { types.parameter($0) } }))
  }

  /// Returns all properties of an event, including those of individual steps.
  private func allProperties(of name: String) -> [DeclaredProperty] {
    guard StepEventName.isAboutStep(name) else { return properties(of: name, step: nil) }
    return properties(of: name, step: nil) + steps.flatMap { properties(of: name, step: $0.id) }
  }

  /// Returns the properties of an event, required ones first, then by key.
  ///
  /// - Parameter step: The step whose properties are included, or `nil` for the properties common to all steps.
  private func properties(of name: String, step: String?) -> [DeclaredProperty] {
    var schemas: [String: [PropertySchema]] = [:]
    var required: Set<String> = []
    for requirements in flow.propertyRequirements(event: name, step: step) {
      for (key, schema) in requirements.props { schemas[key, default: []].append(schema) }
      required.formUnion(requirements.required)
    }
    for case (.property(let key), _) in (conditions[name] ?? []).map({ ($0.field, $0.value) }) where schemas[key] == nil {
      schemas[key] = []
    }
    for key in required where schemas[key] == nil { schemas[key] = [] }
    let properties = schemas.map { key, schemas in
      DeclaredProperty(
        event: name, key: key, schemas: schemas, isRequired: required.contains(key), oldValues: oldValues(of: key, event: name))
    }
    return properties.sorted { left, right in
      if left.isRequired != right.isRequired { return left.isRequired }
      return left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
    }
  }

  /// Returns the values of a property that an upcast maps to other values: the spellings of older builds.
  private func oldValues(of key: String, event: String) -> Set<String> {
    var old: Set<String> = []
    for upcast in flow.upcasts where upcast.from == event {
      for target in upcast.targets {
        guard case .mapped(.property(key), let mapping)? = target.props[key] else { continue }
        old.formUnion(mapping.values.filter { $0.value != .string($0.key) }.keys)
      }
    }
    return old
  }

  /// Returns the step ID that a condition requires, or `nil` if the condition is not on the step.
  private static func stepID(_ condition: PropertyCondition) -> String? {
    guard condition.field == .step, case .string(let id) = condition.value else { return nil }
    return id
  }

  /// Returns the distinct texts in order of first occurrence.
  private static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }
}
