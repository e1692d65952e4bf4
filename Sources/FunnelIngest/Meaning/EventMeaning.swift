import FunnelModel

/// The meaning of the events of one name and step to one flow version: a kind, and additions to it that depend on the events' properties.
struct EventMeaning {
  /// The kind of an event that fulfills no condition on properties.
  private(set) var unconditional: EventClass
  private var steps: [(stepBit: UInt64, conditions: [PropertyCondition])] = []
  /// The outcomes that the event may represent, in order of declaration; the first whose conditions hold counts.
  private var outcomes: [(outcome: OutcomeMark, conditions: [PropertyCondition])] = []

  /// An outcome that an event represents.
  private struct OutcomeMark {
    /// The index among the flow's outcomes.
    let number: UInt8
    let isEnd: Bool
  }

  init(name: String, step: String?, in definition: FlowDefinition) {
    unconditional = EventClass(
      stepMask: 0, permission: 255, action: .other, exit: ExitKind(eventName: name),
      nameRank: EventClass.nameRank(of: name))
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
      unconditional.permission = UInt8(index)
      unconditional.action = suffix.action
    }
    if unconditional.action == .other, definition.settingsEvents.contains(name) { unconditional.action = .settingsOpened }
    for (number, exclusion) in definition.exclusions.enumerated() where exclusion.event == name {
      unconditional.exclusions |= 1 << UInt8(number)
    }
    for (number, outcome) in definition.outcomes.enumerated() where outcome.events.contains(name) {
      guard let open = Self.openConditions(of: outcome.conditions, step: step) else { continue }
      outcomes.append((OutcomeMark(number: UInt8(clamping: number), isEnd: outcome.isEnd), open))
      if open.isEmpty { break }
    }
    if let first = outcomes.first, first.conditions.isEmpty {
      Self.end(&unconditional, by: first.outcome)
      outcomes = []
    }
  }

  /// Whether the kind depends on properties.
  var isConditional: Bool { !steps.isEmpty || !outcomes.isEmpty }

  /// The fields that the kind depends on.
  var fields: [EventField] { (steps.flatMap(\.conditions) + outcomes.flatMap(\.conditions)).map(\.field) }

  /// Returns the kind of an event whose field values a closure supplies.
  func kind(_ value: (EventField) -> PropertyValue) -> EventClass {
    var kind = unconditional
    func hold(_ conditions: [PropertyCondition]) -> Bool { conditions.allSatisfy { Self.holds($0, for: value($0.field)) } }
    for (bit, conditions) in steps where hold(conditions) { kind.stepMask |= bit }
    if let (outcome, _) = outcomes.first(where: { hold($0.conditions) }) { Self.end(&kind, by: outcome) }
    return kind
  }

  /// Records that an event represents an outcome. An exit that the event's name already makes more specific than `left` is kept.
  private static func end(_ kind: inout EventClass, by outcome: OutcomeMark) {
    kind.outcome = outcome.number
    if kind.exit == .left, outcome.isEnd { kind.exit = .ended }
  }

  private mutating func add(_ pattern: EventPattern, stepBit: UInt64, step: String?) {
    guard let open = Self.openConditions(of: pattern.conditions, step: step) else { return }
    if open.isEmpty {
      unconditional.stepMask |= stepBit
    } else {
      steps.append((stepBit, open))
    }
  }

  /// Returns the conditions that remain to be evaluated per event, or nil if a condition on the step, which is evaluated here, does not
  /// hold.
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
    if case .double(let number) = condition.value { return Scalar(number: number).propertyValue == value }
    return value == condition.value
  }
}
