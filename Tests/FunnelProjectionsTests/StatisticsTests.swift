import FunnelModel
import FunnelProjections
import FunnelTestSupport
import Histogram
import Testing

@Suite struct StatisticsTests {
  @Test(
    arguments: [
      (4, 8, 0.2152160622138776, 0.7847839377861224), (2, 7, 0.0822189240040568, 0.6410655481673808),
      (3, 7, 0.15821985525146973, 0.7495416354723429), (2, 6, 0.09677141110578043, 0.7000066848616079),
      (1, 5, 0.03622410863243013, 0.6244653702374747), (0, 1, 0, 0.7934506856227626), (1, 1, 1 - 0.7934506856227626, 1),
      // Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3, to four digits.
      (81, 263, 0.255274584, 0.366197216),
    ] as [(Int, Int, Double, Double)])
  func wilsonIntervalsHaveTheKnownValues(count: Int, total: Int, low: Double, high: Double) throws {
    let rate = try #require(Rate(count, of: total))
    let tolerance = total == 263 ? 1e-4 : 1e-12
    #expect(abs(rate.low - low) < tolerance)
    #expect(abs(rate.high - high) < tolerance)
    #expect(rate.value == Double(count) / Double(total))
    #expect(rate.denominator == total)
  }

  @Test func theEndsOfTheScaleAreExact() throws {
    for total in 1...2000 {
      #expect(try #require(Rate(0, of: total)).low == 0)
      #expect(try #require(Rate(total, of: total)).high == 1)
    }
    #expect(Rate(0, of: 0) == nil)
  }

  @Test func fewDurationsHaveExactQuantilesByNearestRank() {
    var durations = DurationDistribution()
    #expect(durations.quantiles == nil)
    for value in [40, 10, 30, 20] as [Int64] { durations.record(value) }
    #expect(durations.quantiles == Quantiles(p50: 20, p90: 40, p99: 40))
    durations.record(-5)
    #expect(durations.quantiles == Quantiles(p50: 20, p90: 40, p99: 40))
    #expect(durations.count == 5)
  }

  /// Returns durations as they occur: from milliseconds to ten years, with many zeros.
  private func durations(_ count: Int, seed: UInt64) -> [Int64] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      let limits: [Int64] = [1, 5000, 86_400_000, 315_360_000_000]
      let limit = limits[Int.random(in: limits.indices, using: &random)]
      return Int64.random(in: 0..<limit, using: &random)
    }
  }

  @Test(arguments: [1, 2, 99, 100, 1023, 1024, 1025, 1100, 5000, 40_000])
  func quantilesAreWithinOnePercentOfExact(count: Int) throws {
    let values = durations(count, seed: UInt64(count))
    var distribution = DurationDistribution()
    for value in values { distribution.record(value) }
    let quantiles = try #require(distribution.quantiles)
    let sorted = values.sorted()
    for (percent, value) in [(50, quantiles.p50), (90, quantiles.p90), (99, quantiles.p99)] {
      let exact = sorted[(count * percent + 99) / 100 - 1]
      if count <= 1024 { #expect(value == exact) }
      #expect(abs(Double(value - exact)) <= 0.01 * Double(exact), "p\(percent) of \(count)")
    }
  }

  @Test(arguments: [3, 900, 1024, 1025, 3000, 8000])
  func quantilesDoNotDependOnTheOrderOfMerging(count: Int) {
    let values = durations(count, seed: 7)
    var whole = DurationDistribution()
    for value in values { whole.record(value) }
    for seed in 0..<8 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var parts = Array(repeating: DurationDistribution(), count: Int.random(in: 1...9, using: &random))
      for value in values { parts[Int.random(in: parts.indices, using: &random)].record(value) }
      parts.shuffle(using: &random)
      while parts.count > 1 {
        let last = parts.removeLast()
        parts[Int.random(in: parts.indices, using: &random)].merge(last)
      }
      #expect(parts[0].quantiles == whole.quantiles, "seed \(seed)")
      #expect(parts[0].count == count)
    }
  }

  @Test func moreDurationsThanFitIntoACountOf32BitsAreCounted() throws {
    var distribution = DurationDistribution()
    for value in 1...2000 as ClosedRange<Int64> { distribution.record(value) }
    let before = try #require(distribution.quantiles)
    for _ in 0..<26 { distribution.merge(distribution) }
    for _ in 0..<100 { distribution.record(5) }
    #expect(distribution.count == 2000 << 26 + 100)
    #expect(distribution.quantiles == before)
  }

  @Test(arguments: [1, 2047, 2048, 2049, 4096, 60_000, 604_800_000, 315_360_000_000] as [Int64])
  func quantilesOfManyDurationsAreThoseOfAnHdrHistogram(longest: Int64) throws {
    var random = SeededGenerator(seed: UInt64(longest))
    let edges = [0, 1, 2046, 2047, 2048, 2049, 4095, 4096, 4097, longest - 1, longest].filter { $0 <= longest }
    for expected in [2, 5000, longest, .max] {
      for count in [1100, 3000] {
        var histogram = Histogram<UInt64>(highestTrackableValue: 2, numberOfSignificantValueDigits: .three)
        histogram.autoResize = true
        var distribution = DurationDistribution(longest: expected)
        let values =
          edges
          + (0..<count).map { _ in Int64.random(in: 0...longest, using: &random) >> Int64.random(in: 0..<12, using: &random) }
        for value in values {
          histogram.record(UInt64(value))
          distribution.record(value)
        }
        #expect(distribution.count == values.count)
        let theirs = [50, 90, 99].map { Int64(histogram.valueAtPercentile($0)) }
        let quantiles = try #require(distribution.quantiles)
        #expect([quantiles.p50, quantiles.p90, quantiles.p99] == theirs, "\(count) durations up to \(longest)")
        // The longest duration is added so often that the last quantile is one of them.
        for _ in values.indices {
          histogram.record(UInt64(longest))
          distribution.record(longest)
        }
        #expect(distribution.quantiles?.p99 == Int64(histogram.valueAtPercentile(99)))
      }
    }
  }

  @Test func theLongestDurationsThereAreCanBeRecorded() throws {
    var distribution = DurationDistribution()
    for _ in 0..<2000 { distribution.record(.max) }
    #expect(try #require(distribution.quantiles).p50 == .max)
  }
}
