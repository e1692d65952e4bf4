import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

@Suite struct BruteForceTests {
  @Test(arguments: Sweeps.seeds(16, sample: 6)) func theProjectorsAgreeWithTheBruteForce(block: UInt64) {
    for seed in block * 100..<(block + 1) * 100 {
      let scenario = Scenario(seed: seed)
      let (flow, query) = (scenario.flow, scenario.query)
      let expected = BruteForce(flow: flow, query: query, groups: scenario.sequences)
      let report = FlowReport(of: scenario.sequences, flow: flow, query: query)
      #expect(areSame(report.funnel ?? [], expected.funnel()), "seed \(seed)")
      #expect(areSame(report.grants ?? [], expected.grants()), "seed \(seed)")
      #expect(areSame(report.dropoff ?? [], expected.dropoff()), "seed \(seed)")
    }
  }

  /// The comparison above says little unless the scenarios contain these cases.
  @Test func theScenariosHoldTheCasesThatMatter() {
    var found: [String: Int] = [:]
    func note(_ name: String, _ holds: Bool) { if holds { found[name, default: 0] += 1 } }
    for seed in 0..<400 as Range<UInt64> {
      let scenario = Scenario(seed: seed)
      let report = FlowReport(of: scenario.sequences, flow: scenario.flow, query: scenario.query)
      let rows = report.funnel ?? []
      note("completed \(scenario.query.order)", rows.contains { $0.completed > 0 && $0.steps.count > 1 })
      note("dropped \(scenario.query.order)", rows.contains { $0.dropped > 0 })
      note("in progress \(scenario.query.order)", rows.contains { $0.inProgress > 0 })
      note("optional reached", rows.contains { $0.steps.contains { $0.isOptional && $0.reached ?? 0 > 0 } })
      note("several segments", rows.count > 1)
      note("recovered", (report.grants ?? []).contains { $0.recovered > 0 })
      note("unprimed", (report.grants ?? []).contains { $0.unprimed ?? 0 > 0 })
      note("inferred or told skip", (report.grants ?? []).contains { $0.skipped > 0 })
      note("unanswered", (report.grants ?? []).contains { $0.unanswered > 0 })
    }
    #expect(found.count == 15)
    #expect(found.values.allSatisfy { $0 >= 20 }, "\(found)")
  }
}
