import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

@Suite struct ProjectorLawTests {
  private func brokenLaws<P: Projector>(
    of type: P.Type, beside others: [any Projector.Type] = [], seed: UInt64
  ) -> [String] where P.Row: Equatable {
    let scenario = Scenario(seed: seed)
    return FunnelTestSupport.brokenLaws(
      of: type, beside: others, flow: scenario.flow, query: scenario.query, sequences: scenario.sequences, seed: seed)
  }

  @Test(arguments: Sweeps.seeds(60, sample: 20)) func theFunnelKeepsTheLaws(seed: UInt64) {
    #expect(brokenLaws(of: FunnelProjector.self, seed: seed) == [], "seed \(seed)")
  }

  @Test(arguments: Sweeps.seeds(60, sample: 20)) func grantsKeepTheLaws(seed: UInt64) {
    #expect(brokenLaws(of: GrantsProjector.self, seed: seed) == [], "seed \(seed)")
  }

  @Test(arguments: Sweeps.seeds(60, sample: 20)) func theDropoffKeepsTheLaws(seed: UInt64) {
    #expect(brokenLaws(of: DropoffProjector.self, seed: seed) == [], "seed \(seed)")
  }

  @Test(arguments: Sweeps.seeds(60, sample: 20)) func allReportsAtOnceKeepTheLaws(seed: UInt64) {
    let (funnel, grants) = (FunnelProjector.self, GrantsProjector.self)
    #expect(brokenLaws(of: funnel, beside: [grants], seed: seed) == [], "seed \(seed)")
    #expect(brokenLaws(of: grants, beside: [funnel], seed: seed) == [], "seed \(seed)")
    #expect(brokenLaws(of: DropoffProjector.self, beside: [funnel, grants], seed: seed) == [], "seed \(seed)")
  }

  @Test func everyGroupIsCompletedDroppedOrInProgress() {
    for seed in 0..<300 as Range<UInt64> {
      let scenario = Scenario(seed: seed)
      let report = FlowReport(of: scenario.sequences, flow: scenario.flow, query: scenario.query)
      for row in report.funnel ?? [] {
        #expect(row.entered == row.completed + row.dropped + row.inProgress, "seed \(seed)")
        #expect(row.dropped == row.steps.reduce(0) { $0 + ($1.dropped ?? 0) }, "seed \(seed)")
        #expect(row.inProgress == row.steps.reduce(0) { $0 + ($1.inProgress ?? 0) }, "seed \(seed)")
        #expect(row.steps.last { !$0.isOptional }?.dropped == 0, "seed \(seed)")
      }
      for row in report.dropoff ?? [] {
        #expect(row.dropped == row.steps.reduce(0) { $0 + $1.dropped }, "seed \(seed)")
        #expect(row.steps.allSatisfy { $0.dropped == $0.exits.reduce(0, +) }, "seed \(seed)")
      }
      for row in report.grants ?? [] {
        let answers = row.granted + row.limited + row.provisional + row.denied + row.skipped + row.unanswered + row.inProgress
        #expect(row.prompted == answers, "seed \(seed)")
      }
    }
  }
}
