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
    func read<Parameters: FlowRuleParameters>(_ rule: (Parameters) -> FlowRule) -> FlowRule? {
      assert(Parameters.kind == kind, "the parameters of \(Parameters.kind) do not describe \(kind)")
      let allowed = ["rule"] + Parameters.requiredKeys + Parameters.optionalKeys
      guard let object = input.object(value, allowed: allowed, required: Parameters.requiredKeys) else { return nil }
      return Parameters(FlowRuleReader(object: object, names: names)).map(rule)
    }
    switch kind {
    case .advanceWhenAllHandled: return read(FlowRule.advanceWhenAllHandled)
    case .autoVerifyAfter: return read(FlowRule.autoVerifyAfter)
    case .backFrom: return read(FlowRule.backFrom)
    case .dialogAfter: return read(FlowRule.dialogAfter)
    case .dismissedIsDenied: return read(FlowRule.dismissedIsDenied)
    case .failureReason: return read(FlowRule.failureReason)
    case .grantUndisclosed: return read(FlowRule.grantUndisclosed)
    case .inferSkip: return read { (_: FlowRule.InferSkip) in .inferSkip }
    case .knownStep: return read { (_: FlowRule.KnownStep) in .knownStep }
    case .limitedHint: return read(FlowRule.limitedHint)
    case .limitedIsAccess: return read(FlowRule.limitedIsAccess)
    case .lockedWhen: return read(FlowRule.lockedWhen)
    case .manualEntryOnDenied: return read(FlowRule.manualEntryOnDenied)
    case .maxItems: return read(FlowRule.maxItems)
    case .minItems: return read(FlowRule.minItems)
    case .noPersonalData: return read(FlowRule.noPersonalData)
    case .noSecondDecision: return read { (_: FlowRule.NoSecondDecision) in .noSecondDecision }
    case .notAfterCompletion: return read { (_: FlowRule.NotAfterCompletion) in .notAfterCompletion }
    case .onlyIfAllGranted: return read(FlowRule.onlyIfAllGranted)
    case .permissionOrder: return read(FlowRule.permissionOrder)
    case .permissionProgress: return read(FlowRule.permissionProgress)
    case .preAlertWithoutAlert: return read(FlowRule.preAlertWithoutAlert)
    case .prePromptBeforeDecision: return read { (_: FlowRule.PrePromptBeforeDecision) in .prePromptBeforeDecision }
    case .progress: return read { (_: FlowRule.Progress) in .progress }
    case .recoveredViaSettings: return read(FlowRule.recoveredViaSettings)
    case .skipDelay: return read(FlowRule.skipDelay)
    case .skippable: return read(FlowRule.skippable)
    case .startTrigger: return read(FlowRule.startTrigger)
    }
  }
}
