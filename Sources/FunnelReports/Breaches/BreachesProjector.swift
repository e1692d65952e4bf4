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
  /// The row index of each pair of rule and target.
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

  /// Returns the row index of a rule and its target, or `nil` if the report has no such row.
  func row(_ rule: FlowRule.Kind, _ target: String? = nil) -> Int? { rowOfTarget[Target(rule: rule, target: target)] }
}

/// The counter IDs of a breaches report: two for the whole, then two arrays with a counter for each row.
struct BreachCounterIDs: Sendable {
  let checkCount: Int

  let groups = 0
  let breached = 1
  private let rowBase = 2

  /// Returns the counter of groups with an event that the rule of a row applies to.
  func checked(_ row: Int) -> Int { rowBase + row }

  /// Returns the counter of groups that break the rule of a row.
  func broken(_ row: Int) -> Int { rowBase + checkCount + row }

  var counterCount: Int { rowBase + 2 * checkCount }
}
