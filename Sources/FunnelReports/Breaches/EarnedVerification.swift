import FunnelModel
import FunnelProjections

/// The rule that a success may be automatic only after a number of earned successes in the same period.
///
/// The earned successes may be in any attempts of the subject.
struct EarnedVerification: SubjectRule {
  private let rule: FlowRule.AutoVerifyAfter
  /// The bit of the rule in the facts of an event.
  private let bit: UInt64
  private let isSuccess: [Bool]
  /// The number of earned successes so far in the current period.
  private var earned = 0
  /// The first day of the current period, or `nil` before the first event.
  private var period: CivilDate?

  init(_ rule: FlowRule.AutoVerifyAfter, ruleIndex: Int, flow: FlowDefinition) {
    precondition(ruleIndex < UInt64.bitWidth, "a set of rules is one word")
    self.rule = rule
    bit = 1 << UInt64(ruleIndex)
    isSuccess = flow.outcomes.map(\.isSuccess)
  }

  /// Returns whether an event breaks the rule. Events of the subject must be passed in order.
  mutating func isBroken(by event: TimedEvent, detail: EventDetail?) -> Bool {
    let start = rule.period.start(of: Timestamp(milliseconds: event.milliseconds).day)
    if start != period {
      period = start
      earned = 0
    }
    if let detail, detail.facts.concerned & bit != 0 { return earned < rule.connections }
    if let outcome = event.kind.outcome, outcome < isSuccess.count, isSuccess[outcome] { earned += 1 }
    return false
  }

  /// Prepares for the events of another subject.
  mutating func reset() {
    earned = 0
    period = nil
  }
}
