import FunnelModel

/// Computes the event class of events that have a given name and step, for one flow version.
///
/// The part of the class that depends only on name and step is computed once. Conditions on properties are
/// evaluated for each event.
struct EventClassifier {
  /// The event class of an event that fulfills no condition on properties.
  private(set) var unconditional: EventClass
  /// The steps that an event enters if all the conditions hold.
  private var steps: [(stepBit: UInt64, conditions: [PropertyCondition])] = []
  /// The outcomes that the event may represent, in order of declaration. The first one whose conditions hold applies.
  private var outcomes: [(outcome: OutcomeMark, conditions: [PropertyCondition])] = []

  /// An outcome that an event represents.
  private struct OutcomeMark {
    /// The index among the flow's outcomes.
    let index: Int
    let isEnd: Bool
  }

  /// Evaluates everything that depends on the name and step alone.
  init(name: String, step: String?, in definition: FlowDefinition) {
    unconditional = EventClass(
      exit: ExitKind(eventName: name), nameRank: EventClass.nameRank(of: name))
    for (index, candidate) in definition.steps.enumerated() {
      let bit = UInt64(1) << UInt64(index)
      switch candidate.kind {
      case .screen:
        if name == StepEventName.viewed.rawValue, step == candidate.id { unconditional.stepMask |= bit }
      case .permission(let permission):
        if name == PermissionEventName.name(.prePromptShown, of: permission) { unconditional.stepMask |= bit }
      case .event(let patterns):
        for pattern in patterns where pattern.event == name { add(pattern, stepBit: bit, step: step) }
      }
    }
    for (index, permission) in definition.permissions.enumerated() {
      guard let suffix = PermissionEventName.suffix(of: name, permission: permission.name) else { continue }
      unconditional.permission = index
      unconditional.action = suffix.action
    }
    if unconditional.action == .other, definition.settingsEvents.contains(name) { unconditional.action = .settingsOpened }
    for (number, exclusion) in definition.exclusions.enumerated() where exclusion.event == name {
      unconditional.exclusions |= 1 << UInt8(number)
    }
    for (index, outcome) in definition.outcomes.enumerated() where outcome.events.contains(name) {
      guard let open = Self.openConditions(of: outcome.conditions, step: step) else { continue }
      outcomes.append((OutcomeMark(index: index, isEnd: outcome.isEnd), open))
      if open.isEmpty { break }
    }
    if let first = outcomes.first, first.conditions.isEmpty {
      Self.apply(first.outcome, to: &unconditional)
      outcomes = []
    }
  }

  /// Whether the event class depends on properties.
  var isConditional: Bool { !steps.isEmpty || !outcomes.isEmpty }

  /// The fields that the event class depends on. A field may occur more than once.
  var fields: [EventField] { (steps.flatMap(\.conditions) + outcomes.flatMap(\.conditions)).map(\.field) }

  /// Returns the event class of an event.
  ///
  /// - Parameter value: Returns the event's value of a field, or null if the event does not have it.
  func kind(_ value: (EventField) -> PropertyValue) -> EventClass {
    var eventClass = unconditional
    func hold(_ conditions: [PropertyCondition]) -> Bool { conditions.allSatisfy { Self.holds($0, for: value($0.field)) } }
    for (bit, conditions) in steps where hold(conditions) { eventClass.stepMask |= bit }
    if let (outcome, _) = outcomes.first(where: { hold($0.conditions) }) { Self.apply(outcome, to: &eventClass) }
    return eventClass
  }

  /// Sets the outcome that an event represents. If the outcome ends the flow, it also sets the exit.
  private static func apply(_ outcome: OutcomeMark, to eventClass: inout EventClass) {
    eventClass.outcome = outcome.index
    // An exit other than `left` comes from the event's name and is more specific.
    if eventClass.exit == .left, outcome.isEnd { eventClass.exit = .ended }
  }

  /// Adds a pattern of a step: to ``unconditional`` if no condition remains, to ``steps`` otherwise.
  private mutating func add(_ pattern: EventPattern, stepBit: UInt64, step: String?) {
    guard let open = Self.openConditions(of: pattern.conditions, step: step) else { return }
    if open.isEmpty {
      unconditional.stepMask |= stepBit
    } else {
      steps.append((stepBit, open))
    }
  }

  /// Returns the conditions on properties and context, which must be evaluated for each event, or `nil` if a
  /// condition on the step does not hold.
  private static func openConditions(of conditions: [PropertyCondition], step: String?) -> [PropertyCondition]? {
    var open: [PropertyCondition] = []
    for condition in conditions {
      guard case .step = condition.field else {
        open.append(condition)
        continue
      }
      guard condition.value == step.map(PropertyValue.string) ?? .null else { return nil }
    }
    return open
  }

  private static func holds(_ condition: PropertyCondition, for value: PropertyValue) -> Bool {
    // A whole number such as `2.0` is an integer in events, so the condition's value is converted in the same way.
    if case .double(let number) = condition.value { return Scalar(number: number).propertyValue == value }
    return value == condition.value
  }
}
