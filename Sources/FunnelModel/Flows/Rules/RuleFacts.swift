/// The facts about one event that rules depend on, computed from the event's properties.
package struct RuleFacts: Hashable, Sendable {
  /// The rules that apply to the event because of its properties. Bit i is set for rule i of the definition.
  package var concerned: UInt64 = 0
  /// The rules of ``concerned`` that the properties contradict. Bit i is set for rule i of the definition.
  package var contradicted: UInt64 = 0
  /// The `start_trigger` rules of ``concerned`` whose trigger is that of a later start. Bit i is set for rule i of the definition.
  package var laterStarts: UInt64 = 0
  /// Whether the definition specifies progress and `props.progress` is a number.
  package var hasProgress = false
  /// The steps whose progress in the definition differs from the event's. Bit i is set for step i.
  package var stepsOffProgress: UInt64 = 0
  /// Whether the event is a pre-prompt whose progress differs from the definition's (`permission_progress`).
  package var isPermissionOffProgress = false
  /// Whether the event is a step event that names both the flow and its version.
  package var namesVersion = false

  /// Creates the facts of an event to which no rule applies.
  package init() {}
}

extension FlowDefinition {
  /// The maximum difference between a logged progress and the definition's. It allows for two decimal places.
  private static let progressTolerance = 0.005

  /// Returns the keys of the properties that the facts about events of a name depend on, sorted.
  package func factKeys(ofEvent name: String) -> [String] {
    var keys = Set(rules.flatMap { $0.parameters.factKeys(ofEvent: name) })
    let entersStep = name == StepEventName.viewed.rawValue || isPrePrompt(name) || isInPattern(name)
    if entersStep, hasProgress { keys.insert("progress") }
    return keys.sorted()
  }

  /// Returns the facts about an event.
  ///
  /// - Parameters:
  ///   - name: The event's name, after upcasts.
  ///   - step: The ID of the step that the event names, after upcasts, or `nil` if it names none.
  ///   - kind: The event's class.
  ///   - namesVersion: Whether the event names this flow and version.
  ///   - value: A closure that returns the value of a property, after upcasts, or null if the event does not have it.
  package func facts(
    name: String, step: String?, kind: EventClass, namesVersion: Bool, value: (String) -> PropertyValue
  ) -> RuleFacts {
    assert(rules.count <= Limits.flowRulesMax && steps.count <= Limits.flowStepsMax, "sets of rules and steps are words")
    var facts = RuleFacts()
    for (index, rule) in rules.enumerated() where index < Limits.flowRulesMax {
      guard let verdict = rule.parameters.verdict(onEvent: name, step: step, value: value) else { continue }
      let bit: UInt64 = 1 << UInt64(index)
      facts.concerned |= bit
      switch verdict {
      case .consistent: break
      case .contradiction: facts.contradicted |= bit
      case .laterStart: facts.laterStarts |= bit
      }
    }
    facts.namesVersion = namesVersion && StepEventName.isAboutStep(name)
    guard hasProgress, let progress = value("progress").readNumber else { return facts }
    facts.hasProgress = true
    for (index, candidate) in steps.enumerated() {
      if let expected = candidate.progress, abs(progress - expected) > Self.progressTolerance {
        facts.stepsOffProgress |= 1 << UInt64(index)
      }
    }
    if kind.action == .prePrompt, let permission = kind.permission,
      let expected = self.progress(ofPermission: permissions[permission].name)
    {
      facts.isPermissionOffProgress = abs(progress - expected) > Self.progressTolerance
    }
    return facts
  }

  /// Returns the progress at the pre-prompt of a permission (`permission_progress`), or `nil` if the definition
  /// does not specify it.
  package func progress(ofPermission permission: String) -> Double? {
    for case .permissionProgress(let rule) in rules {
      if let progress = rule.progress(of: permission) { return progress }
    }
    return nil
  }

  /// The events that are logged when the app opens the system's settings (`recovered_via_settings`).
  package var settingsEvents: [String] {
    rules.compactMap { if case .recoveredViaSettings(let rule) = $0 { rule.event } else { nil } }
  }

  /// Returns the hint that the app shows if access to a permission is limited (`limited_hint`), or `nil` if the
  /// definition gives none.
  package func hint(ofPermission permission: String) -> String? {
    for case .limitedHint(let rule) in rules where rule.permission == permission { return rule.hint }
    return nil
  }

  /// The keys that the flow's `no_personal_data` rules forbid.
  package var forbiddenKeys: [String] {
    rules.flatMap { rule -> [String] in if case .noPersonalData(let rule) = rule { rule.keys } else { [] } }
  }

  /// Whether the definition specifies any progress.
  private var hasProgress: Bool {
    steps.contains { $0.progress != nil } || rules.contains { $0.kind == .permissionProgress }
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
