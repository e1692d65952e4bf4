import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

@Suite struct FlowProjectionTests {
  @Test func oneFoldGivesWhatThreeProjectorsGive() {
    for seed in 0..<200 as Range<UInt64> {
      let scenario = Scenario(seed: seed)
      let report = FlowReport(of: scenario.sequences, flow: scenario.flow, query: scenario.query)
      #expect(report.funnel == rows(FunnelProjector.self, of: scenario), "seed \(seed)")
      #expect(report.grants == rows(GrantsProjector.self, of: scenario), "seed \(seed)")
      #expect(report.dropoff == rows(DropoffProjector.self, of: scenario), "seed \(seed)")
    }
  }

  @Test func whatIsNotSelectedIsNil() {
    let scenario = Scenario(seed: 1)
    let fold = JourneyFold(
      flow: scenario.flow, query: scenario.query, projectors: [GrantsProjector.self, FunnelProjector.self])
    let state = fold.state(of: scenario.sequences)
    #expect(fold.rows(of: DropoffProjector.self, from: state) == nil)
    #expect(fold.rows(of: FunnelProjector.self, from: state) == rows(FunnelProjector.self, of: scenario))
    #expect(fold.rows(of: GrantsProjector.self, from: state) == rows(GrantsProjector.self, of: scenario))
  }

  private func rows<P: Projector>(_ type: P.Type, of scenario: Scenario) -> [P.Row] {
    scenario.sequences.rows(type, flow: scenario.flow, query: scenario.query)
  }
}
