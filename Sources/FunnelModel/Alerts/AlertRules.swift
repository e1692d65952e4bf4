/// The rules that decide whether the numbers of a nightly run raise an alarm (`Schemas/alerts.v1.schema.json`).
package struct AlertRules: Hashable, Sendable {
  /// The name of the file, for messages.
  package var source: String
  /// The probability of a false alarm about a change in one nightly run, over all rules.
  package var alpha = 0.05
  package var rules: [AlertRule] = []

  /// Creates rules that never raise an alarm.
  package init(source: String) { self.source = source }
}

/// A rule about one metric of a flow: its bounds, and how much it may change.
package struct AlertRule: Hashable, Sendable {
  /// The flow. A reference without a version means all versions.
  package var flow: FlowReference
  /// The metric by its name in `funnel compare`: `conversion`, `reached:photos`, `grant_rate:photos`.
  package var metric: String
  /// The share below which the metric raises an alarm, or `nil` for no lower bound.
  package var min: Double?
  /// The share above which the metric raises an alarm, or `nil` for no upper bound.
  package var max: Double?
  /// The smallest relative change that raises an alarm if it is statistically significant, or `nil` to ignore changes.
  package var change: Double?
}

extension AlertRules {
  /// Parses the rules of a file.
  ///
  /// - Parameter source: The file's name, for messages.
  /// - Throws: A configuration error about the first problem, with file, line, column and JSON path.
  package init(parsing bytes: [UInt8], source: String) throws(FunnelError) {
    let reader = AlertRulesReader(source: source)
    let rules = reader.rules(bytes)
    guard let rules, reader.input.problems.isEmpty else { throw FunnelError(reader.input.problems.inFileOrder) }
    self = rules
  }
}

/// Parses the JSON of alert rules and collects its problems.
private struct AlertRulesReader {
  /// The reader of the file, which collects problems.
  let input: ConfigurationReader
  /// The largest `change` that a rule may have, a factor of 1001.
  private static let changeMax = 1_000.0

  init(source: String) { input = ConfigurationReader(source: source) }

  /// Reads a file. The result is valid only if ``input`` has no problems.
  func rules(_ bytes: [UInt8]) -> AlertRules? {
    guard let root = input.parse(bytes),
      let object = input.object(root, allowed: ["alpha", "rules"], required: ["rules"], needed: "an object with rules")
    else { return nil }
    var rules = AlertRules(source: input.source)
    if let alpha = object.number("alpha", in: 0...1) { rules.alpha = alpha }
    for value in object["rules"].flatMap({ input.array($0, needed: "an array of rules") }) ?? [] {
      if let rule = rule(value) { rules.rules.append(rule) }
    }
    return rules
  }

  private func rule(_ value: ConfigurationValue) -> AlertRule? {
    let allowed = ["flow", "metric", "min", "max", "change"]
    guard let object = input.object(value, allowed: allowed, required: ["flow", "metric"], needed: "a rule"),
      let flow = object["flow"].flatMap(flow), let metric = object.text("metric")
    else { return nil }
    var rule = AlertRule(flow: flow, metric: metric)
    rule.min = object.number("min", in: 0...1)
    rule.max = object.number("max", in: 0...1)
    rule.change = object.number("change", in: 0...Self.changeMax)
    if object["min"] == nil, object["max"] == nil, object["change"] == nil {
      input.report("the rule can't raise an alarm, give min, max or change", at: value)
    }
    if let min = rule.min, let max = rule.max, min > max { input.report("min is more than max, swap them", at: value) }
    return rule
  }

  private func flow(_ value: ConfigurationValue) -> FlowReference? {
    guard let text = input.text(value) else { return nil }
    let flow = FlowReference(text)
    if flow == nil { input.report("\(text.quoted) is not a flow, write it as APP/FLOW or APP/FLOW@VERSION", at: value) }
    return flow
  }
}
