/// The events that a flow declares (specification section 6), in sets for fast lookups.
package struct FlowVocabulary: Hashable, Sendable {
  /// The events that are declared for any step.
  private let names: Set<String>
  /// The step IDs of events that are declared for certain steps only, or `nil` for events without a step.
  private let stepsByName: [String: Set<String?>]
  /// The IDs of the flow's steps.
  private let steps: Set<String>
  private let permissions: [String]

  /// Collects the events that a flow declares.
  package init(_ definition: FlowDefinition) {
    var names: Set<String> = []
    var stepsByName: [String: Set<String?>] = [:]
    for case .event(let patterns) in definition.steps.map(\.kind) {
      for pattern in patterns {
        switch pattern.conditions.first(where: { $0.field == .step })?.value {
        case nil: names.insert(pattern.event)
        case .string(let step): stepsByName[pattern.event, default: []].insert(step)
        // Null matches events without a step. Step IDs are strings, so no event meets a condition with any other value.
        case .null: stepsByName[pattern.event, default: []].insert(nil)
        default: break
        }
      }
    }
    names.formUnion(definition.events.map(\.name))
    names.formUnion(definition.outcomes.flatMap(\.events))
    names.formUnion(definition.exclusions.map(\.event))
    names.formUnion(definition.upcasts.map(\.from))
    permissions = definition.permissions.map(\.name)
    for permission in permissions {
      names.formUnion(PermissionEventName.Suffix.allCases.map { PermissionEventName.name($0, of: permission) })
    }
    self.names = names
    self.stepsByName = stepsByName
    steps = Set(definition.steps.map(\.id))
  }

  /// Returns whether the flow declares an event.
  ///
  /// It declares the events that its steps, `events`, `outcomes`, `exclude` and `upcasts` name, the events of its permissions
  /// (``PermissionEventName/Suffix``), and `step_*` events with one of its steps.
  package func declares(name: String, step: String?) -> Bool {
    if names.contains(name) { return true }
    if stepsByName[name]?.contains(step) == true { return true }
    return StepEventName.isAboutStep(name) && step.map(steps.contains) == true
  }

  /// The declared event names and the names of step events, sorted, for suggestions.
  package var eventNames: [String] {
    names.union(stepsByName.keys).union(StepEventName.allCases.map(\.rawValue)).sorted()
  }

  /// Returns advice about a name that the flow does not declare: the most similar event, or the reason why it
  /// is not an answer to a permission prompt. Returns `nil` if no event is similar.
  package func advice(for name: String) -> PermissionEventName.Advice? {
    if let advice = PermissionEventName.advice(for: name, permissions: permissions) { return advice }
    return NearestName.find(name, in: eventNames).map { .meant($0) }
  }
}
