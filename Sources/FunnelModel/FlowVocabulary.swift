/// The events a flow declares (contract section 6), made for asking often.
public struct FlowVocabulary: Hashable, Sendable {
  private let names: Set<String>
  private let steps: Set<String>
  private let permissionPrefixes: [String]

  /// Collects what a flow declares.
  public init(_ definition: FlowDefinition) {
    var names: Set<String> = []
    for case .event(let patterns) in definition.steps.map(\.kind) {
      // An event that enters a step only with a certain step id is declared with that id alone, as any `step_*` is.
      names.formUnion(patterns.filter { !$0.dependsOnStep }.map(\.event))
    }
    names.formUnion(definition.events.map(\.name))
    names.formUnion(definition.outcomes.flatMap(\.events))
    names.formUnion(definition.upcasts.map(\.from))
    self.names = names
    steps = Set(definition.steps.map(\.id))
    permissionPrefixes = definition.permissions.map { "perm_\($0.name)_" }
  }

  /// Whether the flow declares an event: one its steps, `events`, `outcomes` or `upcasts` name, `perm_<p>_*` of one of its permissions, or
  /// `step_*` with one of its steps.
  public func declares(name: String, step: String?) -> Bool {
    if names.contains(name) { return true }
    if name.hasPrefix("step_") { return step.map(steps.contains) ?? false }
    guard name.hasPrefix("perm_") else { return false }
    return permissionPrefixes.contains { name.hasPrefix($0) && name.utf8.count > $0.utf8.count }
  }

  /// Every event name known as such, and what the flow's steps and permissions add to it: for suggesting what was meant.
  public var eventNames: [String] {
    let actions = ["pre_prompt_shown", "granted", "limited", "denied", "dialog_dismissed", "skipped"]
    let ofPermissions = permissionPrefixes.flatMap { prefix in actions.map { prefix + $0 } }
    let ofSteps = ["step_viewed", "step_completed", "step_skipped", "step_failed", "step_back"]
    return names.union(ofPermissions).union(ofSteps).sorted()
  }
}

extension EventPattern {
  fileprivate var dependsOnStep: Bool { conditions.contains { $0.field == .step } }
}
