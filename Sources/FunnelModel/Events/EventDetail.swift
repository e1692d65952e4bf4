/// The details of an event beyond its ``EventClass``: its name, its step, and the facts that rules depend on.
///
/// Details multiply the entries of an ``EventClassTable``, so they are computed only for reports that need them
/// (``EventNeeds/details``).
package struct EventDetail: Hashable, Sendable {
  /// The name of the event, after upcasts.
  package let name: String
  /// The ID of the step that the event names, after upcasts, or `nil` if it names none.
  package var step: String?
  /// The index of that step in the flow, or `nil` if the flow does not have it.
  package var stepIndex: Int?
  /// The suffix of the event's name, or `nil` if the event is not about a permission of the flow.
  package var suffix: PermissionEventName.Suffix?
  /// The event's name as a step event, or `nil` if it is not one of them.
  package var stepEvent: StepEventName?
  /// The facts that rules of the flow depend on.
  package let facts: RuleFacts

  /// Creates the details of an event of a flow.
  package init(name: String, step: String? = nil, flow: FlowDefinition, facts: RuleFacts = RuleFacts()) {
    self.name = name
    self.step = step
    self.facts = facts
    stepIndex = step.flatMap { id in flow.steps.firstIndex { $0.id == id } }
    stepEvent = StepEventName(rawValue: name)
    suffix = flow.permissions.lazy.compactMap { PermissionEventName.suffix(of: name, permission: $0.name) }.first
  }

  /// The name, followed by a colon and the step if the event names one: `step_viewed:welcome`.
  package var text: String { step.map { "\(name):\($0)" } ?? name }
}
