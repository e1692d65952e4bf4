/// The details of an event beyond its ``EventClass``: its name, its step, and the facts that rules depend on.
///
/// Details are told apart only for reports that need them (``EventNeeds/details``), because events that differ in nothing else then
/// have different codes.
public struct EventDetail: Hashable, Sendable {
  /// The name of the event, as its flow reads it.
  public var name: String
  /// The step that the event names, as its flow reads it.
  public var step: String?
  /// The index in the flow of the step that the event names; nil if it names none of the flow's.
  public var stepIndex: Int?
  /// The part of the event's name after `perm_<permission>_`, if it is about one of the flow's permissions.
  public var suffix: PermissionEventName.Suffix?
  /// The meaning of the event's name for a step.
  public var stepEvent: StepEventName?
  public var facts: RuleFacts

  public init(name: String, step: String? = nil, flow: FlowDefinition, facts: RuleFacts = RuleFacts()) {
    self.name = name
    self.step = step
    self.facts = facts
    stepIndex = step.flatMap { id in flow.steps.firstIndex { $0.id == id } }
    stepEvent = StepEventName(rawValue: name)
    suffix = flow.permissions.lazy.compactMap { PermissionEventName.suffix(of: name, permission: $0.name) }.first
  }

  /// The name, followed by a colon and the step if the event names one: `step_viewed:welcome`.
  public var text: String { step.map { "\(name):\($0)" } ?? name }
}
