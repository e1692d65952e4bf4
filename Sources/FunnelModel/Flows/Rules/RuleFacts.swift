/// The facts about one event that rules of its flow depend on, as far as they follow from the event's properties.
public struct RuleFacts: Hashable, Sendable {
  /// The rules that look at the event because of its properties; bit i stands for rule i of the definition.
  public var concerned: UInt64 = 0
  /// Those of the rules that the properties contradict. For a `start_trigger` rule: the trigger is the one that repeats a start until
  /// completion; if the bit is not set, it is the one of the first start.
  public var contradicted: UInt64 = 0
  /// Whether the event says how far the app's progress bar was, as a number.
  public var hasProgress = false
  /// The steps whose progress, according to the definition, is another; bit i stands for step i.
  public var stepsOffProgress: UInt64 = 0
  /// Whether the progress at the pre-prompt of the event's permission is another, according to the definition.
  public var isPermissionOffProgress = false
  /// Whether the event is about a step and names both the flow and its version.
  public var namesVersion = false

  public init() {}
}

extension FlowDefinition {
  /// How far a logged progress may be from the definition's.
  private static let progressTolerance = 0.005

  /// Returns the properties that the facts about events of a name depend on.
  public func factKeys(ofEvent name: String) -> [String] {
    var keys: [String] = []
    for rule in rules { keys += rule.factKeys(ofEvent: name) }
    let entersStep = name == StepEventName.viewed.rawValue || permissionSteps(promptedBy: name) || entersStep(name)
    if entersStep, hasProgress { keys.append("progress") }
    return Array(Set(keys)).sorted()
  }

  /// Returns the facts about an event.
  ///
  /// - Parameters:
  ///   - kind: The event's meaning to the flow.
  ///   - namesVersion: Whether the event names this flow and version.
  ///   - value: Returns the value of a property as the flow reads it; null if the event has none.
  public func facts(
    name: String, step: String?, kind: EventClass, namesVersion: Bool, value: (String) -> PropertyValue
  ) -> RuleFacts {
    var facts = RuleFacts()
    for (index, rule) in rules.enumerated() where index < Limits.flowRulesMax {
      guard let isContradicted = rule.isContradicted(byEvent: name, step: step, value: value) else { continue }
      facts.concerned |= 1 << UInt64(index)
      if isContradicted { facts.contradicted |= 1 << UInt64(index) }
    }
    facts.namesVersion = namesVersion && StepEventName.isAboutStep(name)
    if hasProgress, let progress = value("progress").readNumber {
      facts.hasProgress = true
      for (index, candidate) in steps.enumerated() {
        if let expected = candidate.progress, abs(progress - expected) > Self.progressTolerance {
          facts.stepsOffProgress |= 1 << UInt64(index)
        }
      }
      if kind.action == .prePrompt, let expected = self.progress(ofPermission: permissions[Int(kind.permission)].name) {
        facts.isPermissionOffProgress = abs(progress - expected) > Self.progressTolerance
      }
    }
    return facts
  }

  /// Returns the progress that the progress bar has at the pre-prompt of a permission inside a step; nil if the definition does not say.
  public func progress(ofPermission permission: String) -> Double? {
    for case .permissionProgress(let rule) in rules {
      if let place = rule.permissions.firstIndex(of: permission), place < rule.progress.count { return rule.progress[place] }
    }
    return nil
  }

  private var hasProgress: Bool {
    steps.contains { $0.progress != nil } || rules.contains { if case .permissionProgress = $0 { true } else { false } }
  }

  private func permissionSteps(promptedBy name: String) -> Bool {
    permissions.contains { PermissionEventName.name(.prePromptShown, of: $0.name) == name }
  }

  private func entersStep(_ name: String) -> Bool {
    steps.contains { step in
      if case .event(let patterns) = step.kind { patterns.contains { $0.event == name } } else { false }
    }
  }
}

extension FlowRule {
  /// Returns the properties that the rule looks at in events of a name.
  fileprivate func factKeys(ofEvent name: String) -> [String] {
    switch self {
    case .startTrigger(let rule): rule.event == name ? [rule.property] : []
    case .minItems(let rule): name == StepEventName.completed.rawValue ? [rule.property] : []
    case .maxItems(let rule): name == StepEventName.completed.rawValue ? [rule.property] : []
    case .failureReason(let rule): rule.event == name ? ["reason", "type", "duration_ms"] : []
    case .autoVerifyAfter(let rule): rule.event == name ? ["method"] : []
    default: []
    }
  }

  /// Returns whether an event's properties contradict the rule, or nil if the rule does not look at the event because of them.
  fileprivate func isContradicted(byEvent name: String, step: String?, value: (String) -> PropertyValue) -> Bool? {
    switch self {
    case .startTrigger(let rule):
      guard rule.event == name else { return nil }
      let trigger = value(rule.property)
      if let first = rule.first, trigger == .string(first) { return false }
      return rule.untilCompleted.map(PropertyValue.string) == trigger ? true : nil
    case .minItems(let rule):
      guard name == StepEventName.completed.rawValue, step == rule.step else { return nil }
      return value(rule.property).readNumber.map { $0 < Double(rule.minimum) }
    case .maxItems(let rule):
      guard name == StepEventName.completed.rawValue, step == rule.step else { return nil }
      return value(rule.property).readNumber.map { $0 > Double(rule.maximum) }
    case .failureReason(let rule):
      guard rule.event == name, value("reason") == .string(rule.reason) else { return nil }
      if !rule.types.isEmpty, case .string(let type) = value("type"), !rule.types.contains(type) { return true }
      // A rule with a deadline as well speaks of times that the event does not tell.
      guard let minimum = rule.minimumMilliseconds, rule.withinMilliseconds == nil else { return false }
      return value("duration_ms").readNumber.map { $0 > Double(minimum) } ?? false
    case .autoVerifyAfter(let rule):
      return rule.event == name && value("method") == .string(rule.method) ? false : nil
    default: return nil
    }
  }
}

extension PropertyValue {
  /// The value as a number, or nil if it is not one. A text that reads as a JSON number is one for conditions and rules
  /// (``readNumber``), not here.
  public var numberValue: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .string, .bool, .null: nil
    }
  }

  /// The number that the value is or, as a text, reads as; nil if it is none.
  var readNumber: Double? { segmentValue(isText: false).numberValue }
}
