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

extension FlowRule.Price: FlowRuleParameters {
  static let keys = ["product", "amount", "currency"]

  init?(_ parameters: RuleParameters) {
    let product = parameters.text("product")
    let amount = parameters.number("amount")
    if let amount, amount < 0 {
      parameters.report("\(PropertyValue.double(amount)) is no price, a number from 0 is needed", at: "amount")
    }
    let currency = parameters.text("currency")
    if let currency, !Self.isCurrency(currency) {
      parameters.report("\(currency.quoted) is no currency, three capital letters are needed, as in \"USD\"", at: "currency")
    }
    guard let product, let amount, let currency else { return nil }
    self.init(product: product, amount: amount, currency: currency)
  }

  private static func isCurrency(_ text: String) -> Bool {
    text.utf8.count == 3 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}

extension FlowRule.ExperiencePointsWhen: FlowRuleParameters {
  static let keys = ["outcome", "types", "prop", "equals", "at_least", "xp"]
  static let requiredKeys = ["outcome", "prop", "xp"]

  init?(_ parameters: RuleParameters) {
    let outcome = parameters.outcome("outcome")
    let types = parameters.texts("types")
    let property = parameters.text("prop")
    let condition = Self.readCondition(parameters)
    let points = parameters.count("xp")
    guard let outcome, let property, let condition, let points else { return nil }
    self.init(outcome: outcome, types: types ?? [], property: property, condition: condition, points: points)
  }

  private static func readCondition(_ parameters: RuleParameters) -> Condition? {
    let object = parameters.object
    switch (object["equals"] != nil, object["at_least"] != nil) {
    case (true, false): return parameters.scalar("equals").map { .equals($0) }
    case (false, true): return parameters.number("at_least").map { .atLeast($0) }
    case (true, true): parameters.report("a rule has either \"equals\" or \"at_least\", remove one", at: "at_least")
    case (false, false): parameters.report("the key \"equals\" or \"at_least\" is missing, add one", at: "equals")
    }
    return nil
  }
}
