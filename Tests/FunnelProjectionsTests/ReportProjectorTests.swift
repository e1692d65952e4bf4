import FunnelModel
import FunnelProjections
import FunnelTestSupport
import Testing

@Suite struct ReportProjectorTests {
  @Test func oneFoldGivesWhatThreeProjectorsGive() {
    for seed in 0..<200 as Range<UInt64> {
      let scenario = Scenario(seed: seed)
      let report = scenario.report(ReportProjector(flow: scenario.flow, query: scenario.query))
      #expect(report.funnel == rows(FunnelProjector.self, of: scenario), "seed \(seed)")
      #expect(report.grants == rows(GrantsProjector.self, of: scenario), "seed \(seed)")
      #expect(report.dropoff == rows(DropoffProjector.self, of: scenario), "seed \(seed)")
    }
  }

  @Test func whatIsNotSelectedIsNil() {
    let scenario = Scenario(seed: 1)
    for selection in [.funnel, .grants, .dropoff, .all, [.funnel, .grants]] as [ReportSelection] {
      let report = scenario.report(ReportProjector(flow: scenario.flow, query: scenario.query, selection: selection))
      #expect((report.funnel != nil) == selection.contains(.funnel))
      #expect((report.grants != nil) == selection.contains(.grants))
      #expect((report.dropoff != nil) == selection.contains(.dropoff))
      let whole = Report(query: scenario.query, selection: selection, flows: [report, report])
      #expect(whole.funnel == report.funnel.map { $0 + $0 })
      #expect(whole.grants == report.grants.map { $0 + $0 })
      #expect(whole.dropoff == report.dropoff.map { $0 + $0 })
    }
    #expect(Report(query: scenario.query, selection: .funnel, flows: []).funnel == [])
    #expect(Report(query: scenario.query, selection: .funnel, flows: []).grants == nil)
  }

  private func rows<P: Projector>(_ type: P.Type, of scenario: Scenario) -> [P.Row] {
    let projector = P(flow: scenario.flow, query: scenario.query)
    var state = projector.emptyState
    for journey in scenario.journeys { journey.withJourney { projector.fold($0, into: &state) } }
    return projector.rows(from: state)
  }
}
