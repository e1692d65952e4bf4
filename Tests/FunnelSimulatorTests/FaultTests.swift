import FunnelModel
import FunnelSimulator
import Testing

/// A flow, the number of subjects that a test simulates, and the rules that some of them break where there are faults.
struct FaultCase: Sendable, CustomTestStringConvertible {
  var flow: String
  var subjects: Int
  var rules: Set<String>

  var testDescription: String { flow }

  private static let everywhere: Set = ["no_second_decision", "not_after_completion", "known_step"]

  static let all = [
    FaultCase(
      flow: "cleaner/permissions_flow", subjects: 4000,
      rules: everywhere.union(["pre_prompt_before_decision", "only_if_all_granted", "start_trigger"])),
    FaultCase(
      flow: "trendy/onboarding", subjects: 3000,
      rules: everywhere.union(["permission_order", "progress", "dialog_after", "skip_delay", "advance_when_all_handled"])),
    FaultCase(
      flow: "smilepile/onboarding", subjects: 3000,
      rules: ["min_items", "max_items", "skippable", "back_from", "progress", "not_after_completion", "known_step"]),
    FaultCase(
      flow: "clarity/onboarding", subjects: 3000,
      rules: everywhere.union(["pre_prompt_before_decision", "max_items", "pre_alert_without_alert"])),
    FaultCase(
      flow: "clarity/prosocial_challenge", subjects: 1500,
      rules: ["layer", "auto_verify_after", "failure_reason: type", "failure_reason: duration"]),
  ]

  /// Returns the number of subjects that break each rule.
  func breaches(faults: Bool, seed: UInt64 = 20_261_103) throws -> [String: Int] {
    let log = try SimulatedLog(.sample([flow], subjects: subjects, seed: seed, faults: faults))
    var counts: [String: Int] = [:]
    for sequence in log.sequences() {
      let isChallenge = flow == "clarity/prosocial_challenge"
      for rule in isChallenge ? ChallengeChecker(sequence).broken : RuleChecker(sequence).broken {
        counts[rule, default: 0] += 1
      }
    }
    return counts
  }
}

@Test(arguments: FaultCase.all) func `without faults nobody breaks a rule`(sample: FaultCase) throws {
  #expect(try sample.breaches(faults: false) == [:])
}

@Test(arguments: FaultCase.all) func `with faults each rule is broken, by few`(sample: FaultCase) throws {
  let breaches = try sample.breaches(faults: true)
  // A misspelt name can break further rules: a pre-prompt that nobody recognises is none.
  #expect(Set(breaches.keys).isSuperset(of: sample.rules))
  for (rule, count) in breaches {
    #expect((1...sample.subjects / 40).contains(count), "\(rule) is broken by \(count) of \(sample.subjects)")
  }
}

@Test(arguments: FaultCase.all.prefix(3).map(\.flow))
func `faults change nothing for those who meet none`(flow: String) throws {
  let sound = try SimulatedLog(.sample([flow], subjects: 600))
  let faulty = Set(try SimulatedLog(.sample([flow], subjects: 600, faults: true)).lines)
  let kept = sound.lines.count { faulty.contains($0) }
  #expect((0.85...0.98).contains(Double(kept) / Double(sound.lines.count)))
}
