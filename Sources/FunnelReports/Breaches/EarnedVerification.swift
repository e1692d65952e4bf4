import FunnelHistories
import FunnelModel
import FunnelProjections

/// The rule by which a success is automatic only after a number of earned ones in the same period, in whichever attempts.
struct EarnedVerification: SubjectRule {
  private let rule: FlowRule.AutoVerifyAfter
  /// The bit of the rule among the facts of an event.
  private let bit: UInt64
  private let isSuccess: [Bool]
  /// The successes so far in the period of the last one.
  private var earned = 0
  private var period: CivilDate?

  init(_ rule: FlowRule.AutoVerifyAfter, number: Int, flow: FlowDefinition) {
    self.rule = rule
    bit = 1 << UInt64(number)
    isSuccess = flow.outcomes.map(\.isSuccess)
  }

  mutating func isBroken(by event: FlowEvent, detail: EventDetail?) -> Bool {
    let start = unit.start(of: Timestamp(milliseconds: event.milliseconds).day)
    if start != period { (period, earned) = (start, 0) }
    if let detail, detail.facts.concerned & bit != 0 { return earned < rule.connections }
    let outcome = Int(event.kind.outcome)
    if outcome < isSuccess.count, isSuccess[outcome] { earned += 1 }
    return false
  }

  mutating func reset() { (earned, period) = (0, nil) }

  private var unit: CalendarUnit {
    switch rule.period {
    case .day: .day
    case .week: .week
    case .month: .month
    }
  }
}
