/// The rules by which a night's numbers raise an alarm (`Schemas/alerts.v1.schema.json`).
public struct AlertRules: Hashable, Sendable {
  /// The name of the file, as the user knows it.
  public var source: String
  /// The probability that a night on which nothing changed raises an alarm about a change.
  public var alpha = 0.05
  public var rules: [AlertRule] = []

  /// Creates rules that never raise an alarm.
  public init(source: String) { self.source = source }
}

/// One rule: a number of a flow, its bounds, and how much it may change.
public struct AlertRule: Hashable, Sendable {
  /// The flow; of all its versions if it names none.
  public var flow: FlowReference
  /// The number, by its name in `funnel compare`: `conversion`, `reached:photos`, `grant_rate:photos`.
  public var metric: String
  /// The share below which the number raises an alarm.
  public var min: Double?
  /// The share above which it does.
  public var max: Double?
  /// The least change, relative to the share before, that is told if it is more than chance; nil if no change is.
  public var change: Double?

  public init(flow: FlowReference, metric: String, min: Double? = nil, max: Double? = nil, change: Double? = nil) {
    (self.flow, self.metric, self.min, self.max, self.change) = (flow, metric, min, max, change)
  }
}

extension AlertRules {
  /// Reads rules.
  ///
  /// - Parameter source: The file's name, for messages.
  /// - Throws: `configuration` with the place of the first problem.
  public init(parsing bytes: [UInt8], source: String) throws(FunnelError) {
    let reader = AlertRulesReader(source: source)
    let rules = reader.rules(bytes)
    guard let rules, reader.input.problems.isEmpty else { throw FunnelError(reader.input.problems.inFileOrder) }
    self = rules
  }
}

/// Reads the JSON of alert rules and collects its problems.
private struct AlertRulesReader {
  let input: ConfigurationReader

  init(source: String) { input = ConfigurationReader(source: source) }

  func rules(_ bytes: [UInt8]) -> AlertRules? {
    guard let root = input.parse(bytes),
      let object = input.object(root, allowed: ["alpha", "rules"], required: ["rules"], needed: "an object with rules")
    else { return nil }
    var rules = AlertRules(source: input.source)
    if let alpha = object["alpha"].flatMap({ input.number($0, in: 0...1) }) { rules.alpha = alpha }
    for value in object["rules"].flatMap({ input.array($0, needed: "an array of rules") }) ?? [] {
      if let rule = rule(value) { rules.rules.append(rule) }
    }
    return rules
  }

  private func rule(_ value: ConfigurationValue) -> AlertRule? {
    let allowed = ["flow", "metric", "min", "max", "change"]
    guard let object = input.object(value, allowed: allowed, required: ["flow", "metric"], needed: "a rule"),
      let flow = object["flow"].flatMap(flow), let metric = object["metric"].flatMap(input.text)
    else { return nil }
    var rule = AlertRule(flow: flow, metric: metric)
    rule.min = object["min"].flatMap { input.number($0, in: 0...1) }
    rule.max = object["max"].flatMap { input.number($0, in: 0...1) }
    rule.change = object["change"].flatMap { input.number($0, in: 0...1_000) }
    if object["min"] == nil, object["max"] == nil, object["change"] == nil {
      input.report("the rule can't raise an alarm, give min, max or change", at: value)
    }
    if let min = rule.min, let max = rule.max, min > max { input.report("min is more than max, swap them", at: value) }
    return rule
  }

  private func flow(_ value: ConfigurationValue) -> FlowReference? {
    guard let text = input.text(value) else { return nil }
    guard let flow = FlowReference(text) else {
      input.report("\(text.quoted) is not a flow, write it as APP/FLOW or APP/FLOW@VERSION", at: value)
      return nil
    }
    return flow
  }
}
