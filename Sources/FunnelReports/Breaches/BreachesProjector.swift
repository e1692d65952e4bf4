package import FunnelModel
package import FunnelProjections

/// Counts the groups that break a rule of their flow (specification section 7).
package final class BreachesProjector: Projector {
  package static let readsChain = false

  let query: FlowQuery
  let checks: [RuleCheck]
  let ids: BreachCounterIDs
  let permissions: [FlowPermission]
  /// The row index of each pair of rule and target.
  private let rowOfTarget: [Target: Int]

  private struct Target: Hashable {
    let rule: FlowRule.Kind
    let target: String?
  }

  package static func needs(of flow: FlowDefinition) -> EventNeeds {
    var needs = EventNeeds()
    needs.details = true
    needs.subjects = true
    return needs
  }

  package init(_ query: FlowQuery) {
    self.query = query
    let checks = RuleCheck.all(of: query)
    self.checks = checks
    permissions = FlowPermission.all(of: query.flow)
    ids = BreachCounterIDs(checkCount: checks.count)
    rowOfTarget = Dictionary(
      uniqueKeysWithValues: checks.indices.map { (Target(rule: checks[$0].rule, target: checks[$0].target), $0) })
  }

  package var counterCount: Int { ids.counterCount }
  package var durationCount: Int { 0 }
  package var exampleCount: Int { checks.count }

  package func contribute(_ events: GroupEvents, along match: ChainMatch, into contribution: inout Contribution) {
    guard let first = events.firstInPeriod else { return }
    var examination = GroupExamination(self)
    for index in events.indices { examination.examine(index, of: events, in: &contribution) }
    examination.finish()
    contribution.beginSection(at: first)
    contribution.count(ids.groups)
    for row in checks.indices where examination.isChecked[row] { contribution.count(ids.checked[row]) }
    guard examination.isBroken.contains(true) else { return }
    contribution.count(ids.breached)
    for row in checks.indices where examination.isBroken[row] {
      contribution.count(ids.broken[row])
      contribution.noteExample(row)
    }
  }

  package func makeSubjectRule() -> (any SubjectRule)? {
    for (index, rule) in query.flow.rules.enumerated() {
      if case .autoVerifyAfter(let rule) = rule { return EarnedVerification(rule, ruleIndex: index, flow: query.flow) }
    }
    return nil
  }

  /// Returns the row index of a rule and its target, or `nil` if the report has no such row.
  func row(_ rule: FlowRule.Kind, _ target: String? = nil) -> Int? { rowOfTarget[Target(rule: rule, target: target)] }
}

// MARK: - Rows

extension BreachesProjector {
  package func rows(from segments: SegmentedCounts) -> [BreachesRow] {
    segments.sized(by: ids.groups).map { counts in
      BreachesRow(
        key: RowKey(flow: query.flow, segment: counts.segment), title: query.flow.title, groups: counts[ids.groups],
        breached: counts[ids.breached],
        rules: checks.indices.map { row in
          BreachRow(
            rule: checks[row].name, target: checks[row].target, description: checks[row].description,
            checked: counts[ids.checked[row]], broken: counts[ids.broken[row]], examples: counts.examples(of: row).subjects)
        })
    }
  }
}

/// The counter IDs of a breaches report. A block has a counter for each row of the report.
struct BreachCounterIDs: Sendable {
  let groups: Int
  let breached: Int
  /// The groups with an event that the rule applies to.
  let checked: CounterBlock
  /// The groups that break the rule.
  let broken: CounterBlock
  let counterCount: Int

  init(checkCount: Int) {
    var layout = CounterLayout()
    groups = layout.counter()
    breached = layout.counter()
    checked = layout.block(checkCount)
    broken = layout.block(checkCount)
    counterCount = layout.count
  }
}
