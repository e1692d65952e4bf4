/// The parameters of a kind of rule, which can be read from a definition.
protocol FlowRuleParameters {
  /// The keys that the rule may have, in addition to `rule`.
  static var keys: [String] { get }
  /// The keys that the rule must have. By default, all of them.
  static var requiredKeys: [String] { get }

  /// Reads the parameters, or reports problems and returns `nil` if a required one is absent or invalid.
  init?(_ parameters: RuleParameters)
}

extension FlowRuleParameters {
  static var requiredKeys: [String] { keys }
}

extension FlowDefinitionReader {
  /// Reads `rules`. Invalid rules are omitted.
  func readRules(_ value: ConfigurationValue, names: FlowNames) -> [FlowRule] {
    let elements = input.array(value, needed: "an array of rules") ?? []
    guard elements.count <= Limits.flowRulesMax else {
      input.report("\(elements.count) rules, at most \(Limits.flowRulesMax) are allowed", at: value)
      return []
    }
    return elements.compactMap { readRule($0, names: names) }
  }

  private func readRule(_ value: ConfigurationValue, names: FlowNames) -> FlowRule? {
    guard let object = input.object(value, needed: "an object (a rule)") else { return nil }
    guard let location = object["rule"] else {
      input.report("the key \"rule\" is missing, add it", at: value)
      return nil
    }
    guard let kind = input.choice(location, FlowRule.Kind.self) else { return nil }
    func parameters<Parameters: FlowRuleParameters>() -> Parameters? {
      guard let object = input.object(value, allowed: ["rule"] + Parameters.keys, required: Parameters.requiredKeys) else {
        return nil
      }
      return Parameters(RuleParameters(object: object, input: input, names: names))
    }
    func none(_ rule: FlowRule) -> FlowRule {
      _ = input.object(value, allowed: ["rule"])
      return rule
    }
    switch kind {
    case .advanceWhenAllHandled: return parameters().map(FlowRule.advanceWhenAllHandled)
    case .autoVerifyAfter: return parameters().map(FlowRule.autoVerifyAfter)
    case .backFrom: return parameters().map(FlowRule.backFrom)
    case .dialogAfter: return parameters().map(FlowRule.dialogAfter)
    case .dismissedIsDenied: return parameters().map(FlowRule.dismissedIsDenied)
    case .failureReason: return parameters().map(FlowRule.failureReason)
    case .grantUndisclosed: return parameters().map(FlowRule.grantUndisclosed)
    case .inferSkip: return none(.inferSkip)
    case .knownStep: return none(.knownStep)
    case .limitedHint: return parameters().map(FlowRule.limitedHint)
    case .limitedIsAccess: return parameters().map(FlowRule.limitedIsAccess)
    case .lockedWhen: return parameters().map(FlowRule.lockedWhen)
    case .manualEntryOnDenied: return parameters().map(FlowRule.manualEntryOnDenied)
    case .maxItems: return parameters().map(FlowRule.maxItems)
    case .minItems: return parameters().map(FlowRule.minItems)
    case .noPersonalData: return parameters().map(FlowRule.noPersonalData)
    case .noSecondDecision: return none(.noSecondDecision)
    case .notAfterCompletion: return none(.notAfterCompletion)
    case .onlyIfAllGranted: return parameters().map(FlowRule.onlyIfAllGranted)
    case .permissionOrder: return parameters().map(FlowRule.permissionOrder)
    case .permissionProgress: return parameters().map(FlowRule.permissionProgress)
    case .preAlertWithoutAlert: return parameters().map(FlowRule.preAlertWithoutAlert)
    case .prePromptBeforeDecision: return none(.prePromptBeforeDecision)
    case .progress: return none(.progress)
    case .recoveredViaSettings: return parameters().map(FlowRule.recoveredViaSettings)
    case .skipDelay: return parameters().map(FlowRule.skipDelay)
    case .skippable: return parameters().map(FlowRule.skippable)
    case .startTrigger: return parameters().map(FlowRule.startTrigger)
    }
  }
}
