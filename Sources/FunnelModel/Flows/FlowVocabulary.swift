/// The events a flow declares (specification section 6), made for asking often.
public struct FlowVocabulary: Hashable, Sendable {
  private let names: Set<String>
  /// Events that enter a step only with a certain step id are declared with that id alone, as any `step_*` is.
  private let stepsByName: [String: Set<String>]
  private let steps: Set<String>
  private let permissions: [String]

  /// Collects what a flow declares.
  public init(_ definition: FlowDefinition) {
    var names: Set<String> = []
    var stepsByName: [String: Set<String>] = [:]
    for case .event(let patterns) in definition.steps.map(\.kind) {
      for pattern in patterns {
        switch pattern.conditions.first(where: { $0.field == .step })?.value {
        case nil: names.insert(pattern.event)
        case .string(let step): stepsByName[pattern.event, default: []].insert(step)
        // A step id is a text, so no event fulfils a condition on another value but null, which means an event without one.
        case .null: stepsByName[pattern.event, default: []].insert("")
        default: break
        }
      }
    }
    names.formUnion(definition.events.map(\.name))
    names.formUnion(definition.outcomes.flatMap(\.events))
    names.formUnion(definition.upcasts.map(\.from))
    permissions = definition.permissions.map(\.name)
    for permission in permissions {
      names.formUnion(PermissionEventName.Suffix.allCases.map { PermissionEventName.name($0, of: permission) })
    }
    self.names = names
    self.stepsByName = stepsByName
    steps = Set(definition.steps.map(\.id))
  }

  /// Whether the flow declares an event: one its steps, `events`, `outcomes` or `upcasts` name, one of the known events of its
  /// permissions (``PermissionEventName/Suffix``), or `step_*` with one of its steps.
  public func declares(name: String, step: String?) -> Bool {
    if names.contains(name) { return true }
    if let ids = stepsByName[name], ids.contains(step ?? "") { return true }
    return name.hasPrefix("step_") && step.map(steps.contains) == true
  }

  /// Every event name known as such, and what the flow's steps and permissions add to it: for suggesting what was meant.
  public var eventNames: [String] {
    let ofSteps = ["step_viewed", "step_completed", "step_skipped", "step_failed", "step_back"]
    return names.union(stepsByName.keys).union(ofSteps).sorted()
  }

  /// What to say of a name the flow does not declare: the event that was probably meant, or that it is no answer to a permission's
  /// question. Returns nil if nothing is like it.
  public func advice(for name: String) -> PermissionEventName.Advice? {
    if let advice = PermissionEventName.advice(for: name, permissions: permissions) { return advice }
    return NearestName.find(name, in: eventNames).map { .meant($0) }
  }
}
