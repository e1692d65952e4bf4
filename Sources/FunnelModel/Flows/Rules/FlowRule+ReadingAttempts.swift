extension FlowRule.AutoVerifyAfter: FlowRuleParameters {
  static let keys = ["connections", "period", "event", "method", "skips"]
  static let requiredKeys = ["connections", "period", "event", "method"]

  init?(_ parameters: RuleParameters) {
    let connections = parameters.count("connections", atLeast: 1)
    let period = parameters.choice("period", Period.self)
    let event = parameters.event("event")
    let method = parameters.text("method")
    let skippedStep = parameters.step("skips")
    guard let connections, let period, let event, let method else { return nil }
    self.init(connections: connections, period: period, event: event, method: method, skippedStep: skippedStep)
  }
}

extension FlowRule.FailureReason: FlowRuleParameters {
  static let keys = ["event", "reason", "types", "minimum_milliseconds", "within_milliseconds"]
  static let requiredKeys = ["event", "reason"]

  init?(_ parameters: RuleParameters) {
    let event = parameters.event("event")
    let reason = parameters.text("reason")
    let types = parameters.texts("types")
    let minimum = parameters.count("minimum_milliseconds")
    let within = parameters.count("within_milliseconds")
    guard let event, let reason else { return nil }
    self.init(event: event, reason: reason, types: types ?? [], minimumMilliseconds: minimum, withinMilliseconds: within)
  }
}
