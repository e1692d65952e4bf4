import FunnelModel

/// What events of one name and step mean to one flow version: a kind, and steps entered only where conditions hold.
struct EventMeaning {
  /// The kind where no condition on properties holds.
  private(set) var unconditional: EventKind
  private var conditional: [(stepBit: UInt64, conditions: [PropertyCondition])] = []

  init(name: String, step: String?, in definition: FlowDefinition) {
    unconditional = EventKind(stepMask: 0, permission: 255, action: .other, exit: ExitKind(eventName: name))
    for (index, candidate) in definition.steps.enumerated() {
      let bit = UInt64(1) << UInt64(index)
      switch candidate.kind {
      case .screen:
        if name == "step_viewed", step == candidate.id { unconditional.stepMask |= bit }
      case .permission(let permission):
        if name == "perm_\(permission)_pre_prompt_shown" { unconditional.stepMask |= bit }
      case .event(let patterns):
        for pattern in patterns where pattern.event == name { add(pattern, stepBit: bit, step: step) }
      }
    }
    for (index, permission) in definition.permissions.enumerated() {
      guard let action = Self.action(of: name, permission: permission.name) else { continue }
      unconditional.permission = UInt8(index)
      unconditional.action = action
    }
  }

  /// Whether the kind depends on properties.
  var isConditional: Bool { !conditional.isEmpty }

  /// The kind of one such event.
  func kind(of event: EventFields) -> EventKind {
    var kind = unconditional
    for (bit, conditions) in conditional where conditions.allSatisfy({ Self.holds($0, for: event) }) { kind.stepMask |= bit }
    return kind
  }

  /// A condition on the step is decided here, those on properties event by event.
  private mutating func add(_ pattern: EventPattern, stepBit: UInt64, step: String?) {
    var open: [PropertyCondition] = []
    for condition in pattern.conditions {
      guard case .step = condition.field else {
        open.append(condition)
        continue
      }
      guard condition.value == step.map(PropertyValue.string) ?? .null else { return }
    }
    if open.isEmpty {
      unconditional.stepMask |= stepBit
    } else {
      conditional.append((stepBit, open))
    }
  }

  private static func holds(_ condition: PropertyCondition, for event: EventFields) -> Bool {
    let value: Scalar?
    switch condition.field {
    case .property(let key): value = event.property(key)
    case .context(let key): value = event.contextValue(key)
    case .step: return false
    }
    let actual = value?.propertyValue ?? .null
    if case .double(let number) = condition.value { return Scalar(number: number).propertyValue == actual }
    return actual == condition.value
  }

  private static func action(of name: String, permission: String) -> PermissionAction? {
    let prefix = "perm_\(permission)_"
    guard name.hasPrefix(prefix) else { return nil }
    switch name.dropFirst(prefix.count) {
    case "pre_prompt_shown": return .prePrompt
    case "granted": return .granted
    case "limited": return .limited
    case "denied", "dialog_dismissed": return .denied
    case "skipped": return .skipped
    default: return nil
    }
  }
}
