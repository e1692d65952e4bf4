// Descriptions of rules for reports.

extension FlowRule {
  /// Returns the requirement of the rule as a sentence without a period: "photos is asked for on a screen of
  /// the app before the system's dialog". For a fact (``Kind/canBeBroken`` is false), the sentence states the
  /// fact.
  ///
  /// - Parameter target: The permission or step that the sentence is about, or `nil` for all permissions or steps of the rule.
  public func sentence(target: String?) -> String {
    switch self {
    case .advanceWhenAllHandled(let rule):
      "\(rule.nextStep) is entered only after \(rule.permissions.listed("and")) were answered or skipped"
    case .autoVerifyAfter(let rule): rule.sentence
    case .backFrom(let rule): Self.sentence(about: "step_back", allowed: rule.steps, "from", target: target)
    case .dialogAfter(let rule):
      "the system's dialog for \(target ?? rule.permissions.listed("or")) opens only after \(rule.button.event(of: target))"
    case .dismissedIsDenied: "a system dialog that was dismissed counts as denied"
    case .failureReason(let rule): rule.sentence
    case .grantUndisclosed(let rule): "the system does not reveal whether \(rule.permission) was granted: \(rule.note)"
    case .inferSkip: "a permission that was asked for and not answered counts as skipped if the flow went on"
    case .knownStep: "every step event names a step of the flow"
    case .limitedHint(let rule): "with limited access to \(rule.permission) the app shows: \(rule.hint)"
    case .limitedIsAccess(let rule): "limited access to \(rule.permissions.listed("or")) is access, but not a full grant"
    case .lockedWhen(let rule):
      "a feature is locked if the answer for its permission is \(rule.decisions.map(\.rawValue).listed("or"))"
    case .manualEntryOnDenied(let rule): rule.sentence
    case .maxItems(let rule): "props.\(rule.property) is at most \(rule.maximum) when \(rule.step) is completed"
    case .minItems(let rule): "props.\(rule.property) is at least \(rule.minimum) when \(rule.step) is completed"
    case .noPersonalData(let rule): "no event has a property named \(rule.keys.listed("or"))"
    case .noSecondDecision:
      "\(target ?? "a permission") is not answered twice without a screen of the app that asks for it again"
    case .notAfterCompletion: "the flow does not start again after it was completed"
    case .onlyIfAllGranted(let rule): "\(rule.step) is shown only if \(rule.permissions.listed("and")) were granted"
    case .permissionOrder(let rule): "permissions are asked for in the order \(rule.permissions.joined(separator: ", "))"
    case .permissionProgress(let rule): rule.sentence(target: target)
    case .preAlertWithoutAlert(let rule): rule.sentence(target: target)
    case .prePromptBeforeDecision:
      "\(target ?? "each permission") is asked for on a screen of the app before the system's dialog"
    case .progress: "props.progress has the value in the definition when \(target ?? "a step") is entered"
    case .recoveredViaSettings(let rule): "access that was given after \(rule.event) was recovered through Settings"
    case .skipDelay(let rule): rule.sentence(target: target)
    case .skippable(let rule): Self.sentence(about: "step_skipped", allowed: rule.steps, "on", target: target)
    case .startTrigger(let rule): rule.sentence
    }
  }

  /// Returns a sentence about an event that is allowed on certain steps only.
  private static func sentence(
    about event: String, allowed steps: [String], _ preposition: String, target: String?
  ) -> String {
    let allowed = steps.isEmpty ? "" : "only \(preposition) \(steps.listed("and"))"
    if let target, !steps.contains(target) {
      return "\(event) is not possible \(preposition) \(target)\(allowed.isEmpty ? "" : ", \(allowed)")"
    }
    return "\(event) is possible \(allowed.isEmpty ? "\(preposition) no step" : allowed)"
  }
}

extension FlowRule.Kind {
  /// Whether a group can break rules of this kind. Other kinds state facts, or are enforced when events are ingested.
  public var canBeBroken: Bool {
    switch self {
    case .dismissedIsDenied, .grantUndisclosed, .inferSkip, .limitedHint, .limitedIsAccess, .lockedWhen, .manualEntryOnDenied,
      .noPersonalData, .recoveredViaSettings:
      false
    case .advanceWhenAllHandled, .autoVerifyAfter, .backFrom, .dialogAfter, .failureReason, .knownStep, .maxItems, .minItems,
      .noSecondDecision, .notAfterCompletion, .onlyIfAllGranted, .permissionOrder, .permissionProgress, .preAlertWithoutAlert,
      .prePromptBeforeDecision, .progress, .skipDelay, .skippable, .startTrigger:
      true
    }
  }
}

extension FlowRule.AutoVerifyAfter {
  fileprivate var sentence: String {
    let successes = connections == 1 ? "success" : "successes"
    let period = period == .day ? "on the same day" : "in the same \(period.rawValue)"
    return "\(event) with the method \(method) comes only after \(connections) earlier \(successes) \(period)"
  }
}

extension FlowRule.FailureReason {
  fileprivate var sentence: String {
    var sentence = "\(event) with the reason \(reason) is of \(types.isEmpty ? "any type" : "the type \(types.listed("or"))")"
    if let minimumMilliseconds { sentence += " and lasted at most \(minimumMilliseconds.inSeconds)" }
    if let withinMilliseconds { sentence += ", after \(withinMilliseconds.inSeconds) without success" }
    return sentence
  }
}

extension FlowRule.ManualEntryOnDenied {
  fileprivate var sentence: String {
    "\(step) falls back to manual entry if \(permission) is denied\(orWithout.map { " or there is no \($0)" } ?? "")"
  }
}

extension FlowRule.PermissionProgress {
  fileprivate func sentence(target: String?) -> String {
    let isOfOne = target.map(permissions.contains) ?? false
    let parts = zip(permissions, progress).filter { !isOfOne || $0.0 == target }.map { permission, progress in
      "\(PropertyValue.double((progress * 10_000).rounded() / 10_000)) for \(permission)"
    }
    return "props.progress is \(parts.listed("and"))"
  }
}

extension FlowRule.PreAlertWithoutAlert {
  fileprivate func sentence(target: String?) -> String {
    let named = permissions.isEmpty ? DialogKind.allCases.map(\.rawValue) : permissions
    return "the app's own screen for \(target ?? named.listed("or")) leads to the system's dialog and offers no way past it"
  }
}

extension FlowRule.SkipDelay {
  fileprivate func sentence(target: String?) -> String {
    let permission = target ?? permissions.listed("or")
    return "\(permission) is skipped no sooner than \(milliseconds.inSeconds) after \(from.event(of: target))"
  }
}

extension FlowRule.StartTrigger {
  fileprivate var sentence: String {
    let parts = [
      first.map { "\($0) only at the first start" },
      untilCompleted.map { "\($0) only at a later start before the flow was completed" }, forced.map { "\($0) at any start" },
    ].compactMap(\.self)
    guard !parts.isEmpty else { return "props.\(property) of \(event) is the reason for the start" }
    return "props.\(property) of \(event): \(parts.joined(separator: ", "))"
  }
}

extension PermissionEventName.Suffix {
  /// Returns the name of a permission's event, with a placeholder if the permission is `nil`.
  fileprivate func event(of permission: String?) -> String { PermissionEventName.name(self, of: permission ?? "<permission>") }
}

extension Int {
  /// The number, in milliseconds, as text in seconds: `1.5 s`.
  fileprivate var inSeconds: String { "\(PropertyValue.double(Double(self) / 1000)) s" }
}

extension [String] {
  /// Returns the elements as a list in a sentence: `a`, `a and b`, `a, b and c`.
  fileprivate func listed(_ conjunction: String) -> String {
    guard count > 1, let last else { return first ?? "" }
    return "\(dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }
}
