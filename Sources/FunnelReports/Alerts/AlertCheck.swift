public import FunnelModel
import FunnelProjections

/// An alarm that a rule raised.
public struct Alert: Hashable, Sendable {
  /// The rule in short: `trendy/onboarding@1 conversion`.
  public let rule: String
  /// What happened, as a sentence.
  public let text: String
}

/// Holds a night's numbers against alert rules.
///
/// A bound is crossed or not. A change is told if it is at least as large as the rule says and more than chance: the z test of two proportions
/// (Fisher's exact test for few groups) between the last seven closed days and the 28 days before, with Holm's correction over all rules about
/// changes. So a night on which nothing changed raises an alarm about a change with a probability of at most alpha, however many rules there are.
public struct AlertCheck: Sendable {
  private let rules: AlertRules

  /// - Parameter catalog: The flows in force.
  /// - Throws: `configuration` if a rule is about a flow or a number that there is none of.
  public init(_ rules: AlertRules, catalog: FlowCatalog) throws(FunnelError) {
    self.rules = rules
    for rule in rules.rules { try Self.check(rule, in: rules.source, catalog) }
  }

  /// Returns the alarms of a night, in the order of the rules.
  public func alerts(_ numbers: [RecentNumbers]) -> [Alert] {
    var findings: [Finding] = []
    for rule in rules.rules {
      for recent in numbers where rule.flow.covers(recent.flow) {
        guard let metric = recent.metrics.first(where: { $0.name == rule.metric }) else { continue }
        findings.append(Finding(rule: rule, recent: recent, metric: metric))
      }
    }
    let tested = findings.indices.filter { findings[$0].rule.change != nil && findings[$0].metric.comparison != nil }
    let adjusted = HolmCorrection.adjusted(tested.compactMap { findings[$0].metric.comparison?.p })
    for (place, p) in zip(tested, adjusted) { findings[place].holmP = p }
    return findings.flatMap { $0.alerts(alpha: rules.alpha) }
  }

  private static func check(_ rule: AlertRule, in source: String, _ catalog: FlowCatalog) throws(FunnelError) {
    let indices = catalog.indices(of: rule.flow)
    guard !indices.isEmpty else {
      let hint = catalog.nearestReference(to: rule.flow).map { "did you mean \($0)?" } ?? "see 'funnel schema list'"
      throw FunnelError(.configuration, "\(source.printable): no such flow, \(rule.flow), \(hint)")
    }
    let names = indices.sorted().flatMap { index -> [String] in
      let flow = catalog.definitions[index]
      let side = ComparisonSide(label: "", of: flow, funnel: [], grants: [])
      return ComparisonRow.metrics(side, side).map(\.name)
    }
    guard names.contains(rule.metric) else {
      let hint =
        NearestName.find(rule.metric, in: names).map { "did you mean \($0)?" }
        ?? "give one of \(Set(names).sorted().prefix(8).joined(separator: ", "))"
      throw FunnelError(.configuration, "\(source.printable): \(rule.flow) has no number \(rule.metric.quoted), \(hint)")
    }
  }
}

/// A rule and the number it is about.
private struct Finding {
  let rule: AlertRule
  let recent: RecentNumbers
  let metric: ComparisonMetric
  /// The p of the change, corrected for the number of rules.
  var holmP: Double?

  func alerts(alpha: Double) -> [Alert] {
    [bound, change(alpha: alpha)].compactMap { $0 }
  }

  private var flow: FlowDefinition { recent.flow }
  private var name: String { "\(flow.reference) \(metric.name)" }

  private var bound: Alert? {
    guard let rate = metric.b?.rate else { return nil }
    let crossed: String
    if let min = rule.min, rate.value < min {
      crossed = "below the minimum of \(HumanNumbers.percent(min))"
    } else if let max = rule.max, rate.value > max {
      crossed = "above the maximum of \(HumanNumbers.percent(max))"
    } else {
      return nil
    }
    return Alert(rule: name, text: "\(flow.reference): \(metric.label) is \(text(of: rate)), \(crossed), \(period)")
  }

  private func change(alpha: Double) -> Alert? {
    guard let least = rule.change, let p = holmP, p <= alpha, let a = metric.a?.rate, let b = metric.b?.rate,
      let comparison = metric.comparison
    else { return nil }
    let relative = comparison.lift.map(abs) ?? .infinity
    guard relative >= least, comparison.difference != 0 else { return nil }
    let verb = comparison.difference < 0 ? "fell" : "rose"
    // How many there were before shows whether the log is complete, and whether it had 28 days at all.
    let before = "compared with \(recent.noun.counted(a.denominator)) in the 28 days before"
    let dependence = recent.noun == .people ? "" : "; \(recent.noun.plural) of one person are alike, so p is too small"
    return Alert(
      rule: name,
      text:
        "\(flow.reference): \(metric.label) \(verb) from \(HumanNumbers.percent(a.value)) to \(text(of: b)), \(period), \(before); \(HumanNumbers.probabilityClause(p)), corrected for the number of rules\(dependence)"
    )
  }

  private func text(of rate: Rate) -> String {
    let interval = HumanNumbers.interval(rate)
    return "\(HumanNumbers.percent(rate.value)) (95 % interval \(interval.low) to \(interval.high))"
  }

  private var period: String {
    "for \(recent.noun.counted(metric.b?.total ?? 0)) in the 7 closed days from \(recent.days.lowerBound) to \(recent.days.upperBound)"
  }
}

extension FlowReference {
  /// Whether it means a flow version.
  fileprivate func covers(_ flow: FlowDefinition) -> Bool {
    flow.app == app && flow.flow == self.flow && (version == nil || version == flow.version)
  }
}
