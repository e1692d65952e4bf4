import FunnelSequences
import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

/// What follows from counting a group by its first anchor, whatever the period: days add up, and what is closed stays as it is.
@Suite struct FirstAnchorLawTests {
  /// A scenario that counts first anchors of all time, without segments or conditions.
  private func plain(_ scenario: Scenario, _ set: (inout ReportQuery) -> Void = { _ in }) -> ReportQuery {
    var query = scenario.query
    query.anchor = .first
    query.since = nil
    query.until = nil
    query.by = []
    query.conditions = []
    set(&query)
    return query
  }

  private func rows(_ scenario: Scenario, _ query: ReportQuery) -> FlowReport {
    FlowReport(of: scenario.sequences, flow: scenario.flow, query: query)
  }

  /// The numbers of a funnel's row that add up.
  private func sums(_ rows: [FunnelRow]) -> [Int] {
    func sum(_ value: (FunnelRow) -> Int) -> Int { rows.reduce(0) { $0 + value($1) } }
    return [
      sum(\.entered), sum(\.completed), sum(\.inProgress), sum(\.dropped), sum(\.finishedOutOfOrder), sum(\.closed.entered),
      sum(\.closed.completed),
    ]
  }

  @Test(arguments: Sweeps.seeds(20, sample: 5)) func `days add up to the period`(block: UInt64) {
    for seed in block * 100..<(block + 1) * 100 {
      let scenario = Scenario(seed: seed)
      let whole = rows(scenario, plain(scenario))
      let days = rows(scenario, plain(scenario) { $0.by = [.day] })
      #expect(sums(whole.funnel ?? []) == sums(days.funnel ?? []), "seed \(seed)")
      let prompted = { (rows: [GrantRow]?) in (rows ?? []).reduce(0) { $0 + $1.prompted } }
      #expect(prompted(whole.grants) == prompted(days.grants), "seed \(seed)")
    }
  }

  @Test(arguments: Sweeps.seeds(20, sample: 5)) func `a day of a report is the report of that day`(block: UInt64) throws {
    for seed in block * 100..<(block + 1) * 100 {
      let scenario = Scenario(seed: seed)
      for day in rows(scenario, plain(scenario) { $0.by = [.day] }).funnel ?? [] {
        let date = try #require(CivilDate(day.key.segment[0].description))
        let alone = rows(
          scenario,
          plain(scenario) {
            $0.since = date.midnight
            $0.until = CivilDate(daysSinceEpoch: date.daysSinceEpoch + 1).midnight
          })
        #expect(sums(alone.funnel ?? []) == sums([day]), "seed \(seed)")
      }
    }
  }

  @Test(arguments: Sweeps.seeds(20, sample: 5)) func `what is closed does not change while time goes on`(block: UInt64) {
    for seed in block * 100..<(block + 1) * 100 {
      let scenario = Scenario(seed: seed)
      let later = plain(scenario)
      let window = later.windowMilliseconds(for: scenario.flow)
      let earlierNow = later.now.milliseconds / 2
      let end = Timestamp(milliseconds: earlierNow - window)
      let before = plain(scenario) {
        $0.now = Timestamp(milliseconds: earlierNow)
        $0.until = end
      }
      let earlierEvents = scenario.sequences.map { sequence in
        StoredSequence(events: sequence.events.filter { $0.milliseconds <= earlierNow }, segments: sequence.segments)
      }
      let after = plain(scenario) { $0.until = end }
      let old = FlowReport(of: earlierEvents, flow: scenario.flow, query: before)
      #expect(areSame(old.funnel ?? [], rows(scenario, after).funnel ?? []), "seed \(seed)")
      #expect(areSame(old.dropoff ?? [], rows(scenario, after).dropoff ?? []), "seed \(seed)")
    }
  }

  @Test(arguments: Sweeps.seeds(20, sample: 5)) func `a group is entered or has returned in a period, or neither`(block: UInt64)
  {
    for seed in block * 100..<(block + 1) * 100 {
      let scenario = Scenario(seed: seed)
      let query = plain(scenario) { $0.since = Timestamp(milliseconds: 10) }
      for sequence in scenario.sequences {
        let row = FlowReport(of: [sequence], flow: scenario.flow, query: query).funnel?.first
        #expect(row.map { $0.entered == 1 && $0.returned == 0 } ?? true, "seed \(seed)")
      }
    }
  }
}
