import FunnelProjections
import FunnelTestSupport
import Testing

/// The p that holds at any look, in tests of two sides that do not differ, and in one that do.
@Suite struct AnytimeInferenceTests {
  /// How often tests of two equal sides ever had a p below 0.05, when looked at on each of sixty days.
  private struct Looks {
    var tests = 0
    var everBelowAnytime = 0
    var everBelowPlanned = 0
    var belowPlannedAtLast = 0
  }

  private static let (alpha, days) = (0.05, 60)

  /// Simulates tests of two sides with the same rate, to each of which some groups come a day.
  private func looks(tests: Int, rate: Double, perDay: Int, seed: UInt64) throws -> Looks {
    var random = SeededGenerator(seed: seed)
    var looks = Looks()
    for _ in 0..<tests {
      var (a, b, total) = (0, 0, 0)
      var (anytime, planned) = (false, false)
      for day in 1...Self.days {
        for _ in 0..<perDay {
          a += Double.random(in: 0..<1, using: &random) < rate ? 1 : 0
          b += Double.random(in: 0..<1, using: &random) < rate ? 1 : 0
        }
        total += perDay
        let comparison = try #require(TwoProportionComparison(a: (a, of: total), b: (b, of: total)))
        anytime = anytime || comparison.anytime.p < Self.alpha
        planned = planned || comparison.p < Self.alpha
        if day == Self.days, comparison.p < Self.alpha { looks.belowPlannedAtLast += 1 }
      }
      looks.tests += 1
      looks.everBelowAnytime += anytime ? 1 : 0
      looks.everBelowPlanned += planned ? 1 : 0
    }
    return looks
  }

  @Test(arguments: [(0.3, 20), (0.05, 10), (0.5, 100)])
  func `of equal sides looked at every day, at most one in twenty ever seems to differ`(rate: Double, perDay: Int) throws {
    let looks = try looks(tests: 200, rate: rate, perDay: perDay, seed: 7)
    #expect(Double(looks.everBelowAnytime) <= Self.alpha * Double(looks.tests), "\(looks)")
    // The other p is for one look: of those who look every day it fools several times as many.
    #expect(Double(looks.everBelowPlanned) > 2 * Self.alpha * Double(looks.tests), "\(looks)")
    #expect(Double(looks.belowPlannedAtLast) < 2 * Self.alpha * Double(looks.tests), "\(looks)")
  }

  @Test(
    .enabled(if: Sweeps.isFull, "FUNNEL_SWEEP=full asks for thousands of simulated tests"),
    arguments: [(0.3, 20), (0.05, 20), (0.5, 200), (0.9, 5)])
  func `so it is with two thousand tests`(rate: Double, perDay: Int) throws {
    let looks = try looks(tests: 2000, rate: rate, perDay: perDay, seed: 11)
    #expect(Double(looks.everBelowAnytime) <= Self.alpha * Double(looks.tests), "\(looks)")
  }

  @Test func `a difference of ten points is found while one looks`() throws {
    let comparison = try #require(TwoProportionComparison(a: (300, of: 1000), b: (400, of: 1000)))
    #expect(comparison.anytime.p < 0.001)
    #expect(comparison.anytime.low > 0 && comparison.anytime.high < 0.2)
  }

  /// Those who may look at any time need more evidence than those who look once.
  @Test func `it asks for more than the p of one look`() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<2000 {
      let total = Int.random(in: 50...5000, using: &random)
      let rate = Double.random(in: 0.1...0.9, using: &random)
      let a = Int(rate * Double(total))
      let b = min(total, max(0, a + Int.random(in: -total / 10...total / 10, using: &random)))
      let comparison = try #require(TwoProportionComparison(a: (a, of: total), b: (b, of: total)))
      #expect(comparison.anytime.p >= comparison.p, "\(a) and \(b) of \(total)")
      #expect(comparison.anytime.low <= comparison.difference && comparison.difference <= comparison.anytime.high)
      let excludesNone = comparison.anytime.low > 0 || comparison.anytime.high < 0
      #expect(excludesNone == (comparison.anytime.p < Self.alpha), "\(a) and \(b) of \(total)")
    }
  }
}
