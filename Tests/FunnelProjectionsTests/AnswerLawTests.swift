import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

/// The laws of the reports beyond funnel, grants and drop-off, and how their numbers agree with those three.
@Suite struct AnswerLawTests {
  private func brokenLaws<P: Projector>(of type: P.Type, seed: UInt64, _ change: (inout FlowDefinition) -> Void = { _ in })
    -> [String] where P.Row: Equatable
  {
    let scenario = Scenario(seed: seed)
    var flow = scenario.flow
    change(&flow)
    var query = scenario.query
    if type == TrendProjector.self { query.by.append(.day) }
    return FunnelTestSupport.brokenLaws(
      of: type, beside: [FunnelProjector.self], flow: flow, query: query, sequences: scenario.sequences, seed: seed)
  }

  @Test(arguments: Sweeps.seeds(60, sample: 15)) func timesKeepTheLaws(seed: UInt64) {
    #expect(brokenLaws(of: TimesProjector.self, seed: seed) == [], "seed \(seed)")
  }

  @Test(arguments: Sweeps.seeds(60, sample: 15)) func trendsKeepTheLaws(seed: UInt64) {
    #expect(brokenLaws(of: TrendProjector.self, seed: seed) == [], "seed \(seed)")
  }

  @Test(arguments: Sweeps.seeds(60, sample: 15)) func outcomesKeepTheLaws(seed: UInt64) {
    let broken = brokenLaws(of: OutcomesProjector.self, seed: seed) {
      $0.outcomes = (0..<8).map {
        FlowDefinition.Outcome(name: "end\($0)", label: "End", events: ["end\($0)"], isSuccess: $0 == 0)
      }
    }
    #expect(broken == [], "seed \(seed)")
  }

  @Test(arguments: Sweeps.seeds(60, sample: 15)) func accessKeepsTheLaws(seed: UInt64) {
    let broken = brokenLaws(of: AccessProjector.self, seed: seed) { flow in
      flow.locks = flow.permissions.map { FlowDefinition.Lock(permission: $0.name, features: ["one", "two"]) }
    }
    #expect(broken == [], "seed \(seed)")
  }

  @Test(arguments: Sweeps.seeds(100, sample: 30))
  func `times have the counts and quantiles of the funnel, and their bins add up`(
    seed: UInt64
  ) throws {
    let scenario = Scenario(seed: seed)
    let funnel = scenario.sequences.rows(FunnelProjector.self, flow: scenario.flow, query: scenario.query)
    let times = scenario.sequences.rows(TimesProjector.self, flow: scenario.flow, query: scenario.query)
    #expect(funnel.map(\.key) == times.map(\.key), "seed \(seed)")
    for (funnel, times) in zip(funnel, times) {
      #expect(times.total.count == funnel.completed, "seed \(seed)")
      for (step, own) in zip(funnel.steps.dropFirst(), times.steps) {
        #expect(own.times.quantile(50) == step.timeFromPrevious?.p50, "seed \(seed)")
        #expect(own.times.quantile(99) == step.timeFromPrevious?.p99, "seed \(seed)")
        #expect(own.times.bins.reduce(0) { $0 + $1.count } == own.times.count, "seed \(seed)")
      }
    }
  }

  @Test(arguments: Sweeps.seeds(100, sample: 30)) func `the buckets of a trend add up to the funnel and to the grants`(
    seed: UInt64
  ) {
    let scenario = Scenario(seed: seed)
    var daily = scenario.query
    daily.by.append(.day)
    daily.every = CalendarUnit.allCases[Int(seed % 3)]
    let trend = scenario.sequences.rows(TrendProjector.self, flow: scenario.flow, query: daily)
    let funnel = scenario.sequences.rows(FunnelProjector.self, flow: scenario.flow, query: scenario.query)
    // A segment with pre-prompts alone has a row in the trend.
    let entered = trend.filter { $0.entered > 0 }
    #expect(entered.map(\.key) == funnel.map(\.key), "seed \(seed)")
    for (trend, funnel) in zip(entered, funnel) {
      #expect(trend.buckets.reduce(0) { $0 + $1.entered } == funnel.entered, "seed \(seed)")
      #expect(trend.buckets.reduce(0) { $0 + $1.completed } == funnel.completed, "seed \(seed)")
      #expect(trend.buckets.reduce(0) { $0 + $1.inProgress } == funnel.inProgress, "seed \(seed)")
      #expect(trend.buckets.first?.start != nil, "seed \(seed)")
    }
  }

  @Test(arguments: Sweeps.seeds(40, sample: 10)) func `a histogram counts exactly, however many durations there are`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...4000, using: &random)
    let durations = (0..<count).map { _ in Int64.random(in: 0...(1 << Int64.random(in: 0...34, using: &random)), using: &random)
    }
    var (whole, left, right) = (
      DurationDistribution(hasHistogram: true), DurationDistribution(hasHistogram: true),
      DurationDistribution(hasHistogram: true)
    )
    for (index, duration) in durations.enumerated() {
      whole.record(duration)
      if index % 3 == 0 { left.record(duration) } else { right.record(duration) }
    }
    left.merge(right)
    let edges = DurationHistogram.edges
    let expected = edges.indices.map { bin in
      durations.count { $0 >= edges[bin] && (bin + 1 == edges.count || $0 < edges[bin + 1]) }
    }
    let histogram = try #require(whole.histogram)
    #expect(histogram.counts == expected, "seed \(seed)")
    #expect(left.histogram == whole.histogram, "seed \(seed)")
    #expect(histogram.sum == durations.reduce(.zero) { $0 + WideInteger(Int($1)) }, "seed \(seed)")
  }
}
