package import FunnelModel
import FunnelProjections
import FunnelRendering

/// An alert that a rule raised.
package struct Alert: Hashable, Sendable {
  /// The rule by its flow version and metric: `trendy/onboarding@1 conversion`.
  package let rule: String
  /// The alert, as a sentence.
  package let text: String
}

/// Evaluates alert rules against the numbers of a nightly run.
///
/// A rule about a bound raises an alert if the share is outside it. A rule about a change raises one if the
/// relative change is at least as large as the rule requires, and significant: the z test of two proportions
/// (Fisher's exact test for few groups) compares the recent days with the baseline (``RecentNumbers``). Holm's
/// correction over all rules about changes bounds the probability of a false alert in a nightly run by alpha,
/// however many rules there are.
package struct AlertCheck: Sendable {
  private let rules: AlertRules

  /// Creates the check of rules.
  ///
  /// - Parameter catalog: The flows in force.
  /// - Throws: ``FunnelError`` (`configuration`) if the flow or the metric of a rule does not exist.
  package init(_ rules: AlertRules, catalog: FlowCatalog) throws(FunnelError) {
    self.rules = rules
    for rule in rules.rules { try Self.check(rule, in: rules.source, catalog) }
  }

  /// Returns the alerts of a nightly run, in the order of the rules.
  package func alerts(_ numbers: [RecentNumbers]) -> [Alert] {
    var evaluations: [RuleEvaluation] = []
    for rule in rules.rules {
      for recent in numbers where rule.flow.covers(recent.flow) {
        guard let metric = recent.metrics.first(where: { $0.name == rule.metric }) else { continue }
        evaluations.append(RuleEvaluation(rule: rule, recent: recent, metric: metric))
      }
    }
    let tested = evaluations.indices.filter { evaluations[$0].rule.change != nil && evaluations[$0].metric.comparison != nil }
    let adjusted = HolmCorrection.adjusted(tested.compactMap { evaluations[$0].metric.comparison?.p })
    for (index, p) in zip(tested, adjusted) { evaluations[index].holmP = p }
    return evaluations.flatMap { $0.alerts(alpha: rules.alpha) }
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

/// A rule and the metric of a flow version that it applies to.
private struct RuleEvaluation {
  let rule: AlertRule
  let recent: RecentNumbers
  let metric: ComparisonMetric
  /// The p value of the change after Holm's correction, or `nil` if the rule has no test.
  var holmP: Double?

  /// Returns the alert for the bound and the alert for the change, if they apply.
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
    // The size of the baseline shows whether the log is complete and covers all of its days.
    let before = "compared with \(recent.noun.counted(a.denominator)) in the \(RecentNumbers.baselineDays) days before"
    let dependence = recent.noun == .people ? "" : "; \(recent.noun.plural) of one person are alike, so p is too small"
    return Alert(
      rule: name,
      text:
        "\(flow.reference): \(metric.label) \(verb) from \(HumanNumbers.percent(a.value)) to \(text(of: b)), \(period), \(before); "
        + "\(HumanNumbers.probabilityClause(p)), corrected for the number of rules\(dependence)"
    )
  }

  private func text(of rate: Rate) -> String {
    let interval = HumanNumbers.interval(rate)
    return "\(HumanNumbers.percent(rate.value)) (95 % interval \(interval.low) to \(interval.high))"
  }

  private var period: String {
    "for \(recent.noun.counted(metric.b?.total ?? 0)) in the \(RecentNumbers.recentDays) closed days "
      + "from \(recent.days.lowerBound) to \(recent.days.upperBound)"
  }
}

extension FlowReference {
  /// Whether the reference includes a flow version. A reference without a version includes all of them.
  fileprivate func covers(_ flow: FlowDefinition) -> Bool {
    flow.app == app && flow.flow == self.flow && (version == nil || version == flow.version)
  }
}
