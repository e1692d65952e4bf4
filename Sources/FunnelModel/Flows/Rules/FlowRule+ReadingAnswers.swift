extension FlowRule.DismissedIsDenied: FlowRuleParameters {
  static let keys = ["reason"]
  static let requiredKeys: [String] = []

  init?(_ parameters: RuleParameters) {
    self.init(reason: parameters.text("reason"))
  }
}

extension FlowRule.GrantUndisclosed: FlowRuleParameters {
  static let keys = ["permission", "note"]

  init?(_ parameters: RuleParameters) {
    let permission = parameters.permission("permission")
    let note = parameters.text("note")
    guard let permission, let note else { return nil }
    self.init(permission: permission, note: note)
  }
}

extension FlowRule.LimitedHint: FlowRuleParameters {
  static let keys = ["permission", "hint"]

  init?(_ parameters: RuleParameters) {
    let permission = parameters.permission("permission")
    let hint = parameters.text("hint")
    guard let permission, let hint else { return nil }
    self.init(permission: permission, hint: hint)
  }
}

extension FlowRule.LimitedIsAccess: FlowRuleParameters {
  static let keys = ["permissions"]

  init?(_ parameters: RuleParameters) {
    guard let permissions = parameters.permissions("permissions") else { return nil }
    self.init(permissions: permissions)
  }
}

extension FlowRule.LockedWhen: FlowRuleParameters {
  static let keys = ["decisions"]

  init?(_ parameters: RuleParameters) {
    let input = parameters.input
    guard let value = parameters.object["decisions"],
      let elements = input.array(value, needed: "an array of decisions", isEmptyAllowed: false)
    else { return nil }
    var decisions: [Decision] = []
    for element in elements {
      guard let decision = input.choice(element, Decision.self) else { continue }
      if decisions.contains(decision) { input.report("\(decision.rawValue.quoted) is listed twice, remove one", at: element) }
      decisions.append(decision)
    }
    self.init(decisions: decisions)
  }
}

extension FlowRule.ManualEntryOnDenied: FlowRuleParameters {
  static let keys = ["step", "permission", "or_without"]
  static let requiredKeys = ["step", "permission"]

  init?(_ parameters: RuleParameters) {
    let step = parameters.step("step")
    let permission = parameters.permission("permission")
    let orWithout = parameters.name("or_without")
    guard let step, let permission else { return nil }
    self.init(step: step, permission: permission, orWithout: orWithout)
  }
}

extension FlowRule.RecoveredViaSettings: FlowRuleParameters {
  static let keys = ["event"]

  init?(_ parameters: RuleParameters) {
    guard let event = parameters.event("event") else { return nil }
    if PermissionEventName.suffix(endingName: event) != nil {
      parameters.report("\(event.quoted) is about a permission, name the event that opens the settings", at: "event")
    }
    self.init(event: event)
  }
}
