/// The facts about one event that rules depend on, computed from the event's properties.
public struct RuleFacts: Hashable, Sendable {
  /// The rules that apply to the event because of its properties. Bit i is set for rule i of the definition.
  public var concerned: UInt64 = 0
  /// The rules of ``concerned`` that the properties contradict. Bit i is set for rule i of the definition.
  ///
  /// A `start_trigger` rule uses the bit differently: it is set if the trigger is `until_completed`, and not
  /// set if it is `first`.
  public var contradicted: UInt64 = 0
  /// Whether the definition specifies progress and `props.progress` is a number.
  public var hasProgress = false
  /// The steps whose progress in the definition differs from the event's. Bit i is set for step i.
  public var stepsOffProgress: UInt64 = 0
  /// Whether the event is a pre-prompt whose progress differs from the definition's (`permission_progress`).
  public var isPermissionOffProgress = false
  /// Whether the event is a step event that names both the flow and its version.
  public var namesVersion = false

  /// Creates the facts of an event to which no rule applies.
  public init() {}
}

extension FlowDefinition {
  /// The maximum difference between a logged progress and the definition's. It allows for two decimal places.
  private static let progressTolerance = 0.005

  /// Returns the keys of the properties that the facts about events of a name depend on, sorted.
  public func factKeys(ofEvent name: String) -> [String] {
    var keys: [String] = []
    for rule in rules { keys += rule.factKeys(ofEvent: name) }
    let entersStep = name == StepEventName.viewed.rawValue || isPrePrompt(name) || isInPattern(name)
    if entersStep, hasProgress { keys.append("progress") }
    return Array(Set(keys)).sorted()
  }

  /// Returns the facts about an event.
  ///
  /// - Parameters:
  ///   - name: The event's name, after upcasts.
  ///   - step: The ID of the step that the event names, after upcasts, or `nil` if it names none.
  ///   - kind: The event's class.
  ///   - namesVersion: Whether the event names this flow and version.
  ///   - value: A closure that returns the value of a property, after upcasts, or null if the event does not have it.
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

  /// Returns the progress at the pre-prompt of a permission (`permission_progress`), or `nil` if the definition
  /// does not specify it.
  public func progress(ofPermission permission: String) -> Double? {
    for case .permissionProgress(let rule) in rules {
      if let index = rule.permissions.firstIndex(of: permission), index < rule.progress.count { return rule.progress[index] }
    }
    return nil
  }

  /// Whether the definition specifies any progress.
  private var hasProgress: Bool {
    steps.contains { $0.progress != nil } || rules.contains { if case .permissionProgress = $0 { true } else { false } }
  }

  /// Returns whether a name is that of the pre-prompt of a permission of the flow.
  private func isPrePrompt(_ name: String) -> Bool {
    permissions.contains { PermissionEventName.name(.prePromptShown, of: $0.name) == name }
  }

  /// Returns whether a pattern of a step has a name.
  private func isInPattern(_ name: String) -> Bool {
    steps.contains { step in
      if case .event(let patterns) = step.kind { patterns.contains { $0.event == name } } else { false }
    }
  }
}

extension FlowRule {
  /// Returns the keys of the properties of events of a name that the rule depends on.
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

  /// Returns whether an event's properties contradict the rule (``RuleFacts/contradicted``), or `nil` if the
  /// rule does not apply to the event.
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
      // With a time limit, the rule is about times that are not in the event.
      guard let minimum = rule.minimumMilliseconds, rule.withinMilliseconds == nil else { return false }
      return value("duration_ms").readNumber.map { $0 > Double(minimum) } ?? false
    case .autoVerifyAfter(let rule):
      return rule.event == name && value("method") == .string(rule.method) ? false : nil
    default: return nil
    }
  }
}

extension PropertyValue {
  /// The value as a number, or `nil` if it is not one. A string that contains a number is not one.
  public var numberValue: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .string, .bool, .null: nil
    }
  }

  /// The value as a number, including a string that contains a JSON number, or `nil` if it is neither.
  var readNumber: Double? { segmentValue(isText: false).numberValue }
}
