import FunnelModel
import FunnelProjections

/// A rule of a flow about one of its targets, as a row of the report.
struct RuleCheck: Sendable {
  /// The name of the rule.
  let rule: FlowRule.Kind
  /// The permission or step, or `nil` if the rule is about the flow.
  let target: String?
  /// The requirement, as a sentence without a full stop.
  private(set) var description: String

  /// The name of the rule in the report. The two rules about progress share one name.
  var name: String { (rule == .permissionProgress ? .progress : rule).rawValue }

  /// Returns the rows of a flow: those of its own rules in their order, then those of the rules for every flow.
  static func all(of query: FlowQuery) -> [RuleCheck] {
    let flow = query.flow
    var checks: [RuleCheck] = []
    let everywhere: [FlowRule] = [.noSecondDecision, .notAfterCompletion, .knownStep]
    for rule in flow.rules + everywhere where rule.canBeBroken {
      if rule.kind == .notAfterCompletion, query.countsByAttempt { continue }
      for target in rule.targets(in: flow) {
        let sentence = rule.sentence(target: target)
        if let index = checks.firstIndex(where: { $0.rule == rule.kind && $0.target == target }) {
          if !everywhere.contains(rule) { checks[index].description += "; \(sentence)" }
        } else {
          checks.append(RuleCheck(rule: rule.kind, target: target, description: sentence))
        }
      }
    }
    return checks
  }
}

extension FlowRule {
  /// Returns the permissions or steps that have a row of their own. A `nil` element is the row of the flow.
  fileprivate func targets(in flow: FlowDefinition) -> [String?] {
    switch self {
    case .prePromptBeforeDecision, .noSecondDecision: flow.permissions.map(\.name)
    case .onlyIfAllGranted(let rule): [rule.step]
    case .progress: flow.steps.filter { $0.progress != nil }.map(\.id)
    case .permissionProgress(let rule): flow.permissions.map(\.name).filter { rule.progress(of: $0) != nil }
    case .dialogAfter(let rule): flow.permissions.map(\.name).filter(rule.permissions.contains)
    case .skipDelay(let rule): flow.permissions.map(\.name).filter(rule.permissions.contains)
    case .minItems(let rule): [rule.step]
    case .maxItems(let rule): [rule.step]
    case .skippable(let rule): flow.steps.map(\.id).filter { !rule.steps.contains($0) }
    case .backFrom(let rule): flow.steps.map(\.id).filter { !rule.steps.contains($0) }
    case .preAlertWithoutAlert(let rule): rule.permissions(of: flow)
    default: [nil]
    }
  }
}
