extension FlowRule.BackFrom: FlowRuleParameters {
  static let keys = ["steps"]

  init?(_ parameters: RuleParameters) {
    guard let steps = parameters.steps("steps") else { return nil }
    self.init(steps: steps)
  }
}

extension FlowRule.Skippable: FlowRuleParameters {
  static let keys = ["steps"]

  init?(_ parameters: RuleParameters) {
    guard let steps = parameters.steps("steps") else { return nil }
    self.init(steps: steps)
  }
}

extension FlowRule.MaxItems: FlowRuleParameters {
  static let keys = ["step", "prop", "maximum", "reason"]
  static let requiredKeys = ["step", "prop", "maximum"]

  init?(_ parameters: RuleParameters) {
    let step = parameters.step("step")
    let property = parameters.text("prop")
    let maximum = parameters.count("maximum")
    let reason = parameters.text("reason")
    guard let step, let property, let maximum else { return nil }
    self.init(step: step, property: property, maximum: maximum, reason: reason)
  }
}

extension FlowRule.MinItems: FlowRuleParameters {
  static let keys = ["step", "prop", "minimum", "reason"]
  static let requiredKeys = ["step", "prop", "minimum"]

  init?(_ parameters: RuleParameters) {
    let step = parameters.step("step")
    let property = parameters.text("prop")
    let minimum = parameters.count("minimum")
    let reason = parameters.text("reason")
    guard let step, let property, let minimum else { return nil }
    self.init(step: step, property: property, minimum: minimum, reason: reason)
  }
}

extension FlowRule.StartTrigger: FlowRuleParameters {
  static let keys = ["event", "prop", "first", "until_completed", "forced"]
  static let requiredKeys = ["event", "prop"]

  init?(_ parameters: RuleParameters) {
    let event = parameters.event("event")
    let property = parameters.text("prop")
    let first = parameters.text("first")
    let untilCompleted = parameters.text("until_completed")
    let forced = parameters.text("forced")
    guard let event, let property else { return nil }
    self.init(event: event, property: property, first: first, untilCompleted: untilCompleted, forced: forced)
  }
}

extension FlowRule.NoPersonalData: FlowRuleParameters {
  static let keys = ["keys"]

  init?(_ parameters: RuleParameters) {
    guard let value = parameters.object["keys"], let keys = parameters.texts("keys") else { return nil }
    for element in parameters.input.elements(of: value) {
      guard let key = element.node.string, !key.isEmpty, !key.utf8.contains(where: Self.isWordByte) else { continue }
      parameters.input.report("\(key.quoted) has no letter and no digit, at least one is needed", at: element)
    }
    self.init(keys: keys)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
