extension FlowRule.AdvanceWhenAllHandled: FlowRuleParameters {
  static let keys = ["step", "to", "permissions"]

  init?(_ parameters: RuleParameters) {
    let step = parameters.step("step")
    let nextStep = parameters.step("to")
    let permissions = parameters.permissions("permissions")
    guard let step, let nextStep, let permissions else { return nil }
    self.init(step: step, nextStep: nextStep, permissions: permissions)
  }
}

extension FlowRule.DialogAfter: FlowRuleParameters {
  static let keys = ["button", "permissions"]
  static let requiredKeys = ["permissions"]

  init?(_ parameters: RuleParameters) {
    let button = parameters.choice("button", PermissionEventName.Suffix.self)
    guard let permissions = parameters.permissions("permissions") else { return nil }
    self.init(button: button ?? .enableTapped, permissions: permissions)
  }
}

extension FlowRule.OnlyIfAllGranted: FlowRuleParameters {
  static let keys = ["step", "permissions"]

  init?(_ parameters: RuleParameters) {
    let step = parameters.step("step")
    let permissions = parameters.permissions("permissions")
    guard let step, let permissions else { return nil }
    self.init(step: step, permissions: permissions)
  }
}

extension FlowRule.PermissionOrder: FlowRuleParameters {
  static let keys = ["step", "permissions"]

  init?(_ parameters: RuleParameters) {
    let step = parameters.step("step")
    let permissions = parameters.permissions("permissions", askedIn: step)
    guard let step, let permissions else { return nil }
    self.init(step: step, permissions: permissions)
  }
}

extension FlowRule.PermissionProgress: FlowRuleParameters {
  static let keys = ["step", "permissions", "progress"]

  init?(_ parameters: RuleParameters) {
    let step = parameters.step("step")
    let permissions = parameters.permissions("permissions", askedIn: step)
    let progress = Self.readProgress(parameters)
    guard let step, let permissions, let progress else { return nil }
    if progress.count != permissions.count {
      let numbers = progress.count == 1 ? "1 number" : "\(progress.count) numbers"
      let names = permissions.count == 1 ? "1 permission" : "\(permissions.count) permissions"
      parameters.report("\(numbers) for \(names), give one for each", at: "progress")
    }
    self.init(step: step, permissions: permissions, progress: progress)
  }

  private static func readProgress(_ parameters: RuleParameters) -> [Double]? {
    let input = parameters.input
    guard let value = parameters.object["progress"],
      let elements = input.array(value, needed: "an array of numbers from 0 to 1", isEmptyAllowed: false)
    else { return nil }
    let numbers = elements.compactMap { input.number($0, in: 0...1) }
    return numbers.count == elements.count ? numbers : nil
  }
}

extension FlowRule.PreAlertWithoutAlert: FlowRuleParameters {
  static let keys = ["permissions", "kind"]
  static let requiredKeys: [String] = []

  init?(_ parameters: RuleParameters) {
    let kind = parameters.choice("kind", DialogKind.self)
    if parameters.object["kind"] != nil, parameters.object["permissions"] == nil {
      parameters.report("\"kind\" is given without permissions, add the key \"permissions\"", at: "kind")
    }
    self.init(permissions: parameters.permissions("permissions") ?? [], dialogKind: kind)
  }
}

extension FlowRule.SkipDelay: FlowRuleParameters {
  static let keys = ["milliseconds", "from", "to", "permissions"]
  static let requiredKeys = ["milliseconds", "permissions"]

  init?(_ parameters: RuleParameters) {
    let milliseconds = parameters.count("milliseconds")
    let from = parameters.choice("from", PermissionEventName.Suffix.self)
    let to = parameters.choice("to", PermissionEventName.Suffix.self)
    let permissions = parameters.permissions("permissions")
    guard let milliseconds, let permissions else { return nil }
    self.init(milliseconds: milliseconds, from: from ?? .skipExplained, to: to ?? .skipped, permissions: permissions)
  }
}
