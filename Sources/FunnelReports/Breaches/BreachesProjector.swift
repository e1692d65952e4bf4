public import FunnelHistories
public import FunnelModel
public import FunnelProjections

/// Counts the groups that break a rule of their flow (specification section 7).
public final class BreachesProjector: Projector {
  public static let readsChain = false

  let query: FlowQuery
  let checks: [RuleCheck]
  let ids: BreachCounterIDs
  let permissions: [FlowPermission]
  /// The rows of each rule, by the rule's kind and target.
  private let rowOfTarget: [Target: Int]

  private struct Target: Hashable {
    let rule: FlowRule.Kind
    let target: String?
  }

  public static func needs(of flow: FlowDefinition) -> EventNeeds {
    var needs = EventNeeds()
    needs.details = true
    needs.subjects = true
    return needs
  }

  public init(_ query: FlowQuery) {
    self.query = query
    let checks = RuleCheck.all(of: query)
    self.checks = checks
    permissions = FlowPermission.all(of: query.flow)
    ids = BreachCounterIDs(checkCount: checks.count)
    rowOfTarget = Dictionary(
      uniqueKeysWithValues: checks.indices.map { (Target(rule: checks[$0].rule, target: checks[$0].target), $0) })
  }

  public var counterCount: Int { ids.counterCount }
  public var durationCount: Int { 0 }
  public var exampleCount: Int { checks.count }

  public func contribute(
    _ events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch, into contribution: inout Contribution
  ) {
    guard let first = events.firstIndex(where: { query.span.contains($0.milliseconds) }) else { return }
    var examination = GroupExamination(self)
    for index in events.indices { examination.examine(events[index], at: index, in: &contribution) }
    examination.finish()
    contribution.beginSection(at: first)
    contribution.count(ids.groups)
    for row in checks.indices where examination.isChecked[row] { contribution.count(ids.checked(row)) }
    guard examination.isBroken.contains(true) else { return }
    contribution.count(ids.breached)
    for row in checks.indices where examination.isBroken[row] {
      contribution.count(ids.broken(row))
      contribution.noteExample(row)
    }
  }

  public func makeSubjectRule() -> (any SubjectRule)? {
    for (index, rule) in query.flow.rules.enumerated() {
      if case .autoVerifyAfter(let rule) = rule { return EarnedVerification(rule, number: index, flow: query.flow) }
    }
    return nil
  }

  /// Returns the row of a rule about a target, or nil if it has none.
  func row(_ rule: FlowRule.Kind, _ target: String? = nil) -> Int? { rowOfTarget[Target(rule: rule, target: target)] }
}

/// The counter numbers of a breaches report.
struct BreachCounterIDs: Sendable {
  let checkCount: Int

  let groups = 0
  let breached = 1
  func checked(_ row: Int) -> Int { 2 + row }
  func broken(_ row: Int) -> Int { 2 + checkCount + row }
  var counterCount: Int { 2 + 2 * checkCount }
}
