import FunnelProjections
import FunnelTestSupport
import Testing

@Suite struct StratifiedComparisonTests {
  /// C. R. Charig et al., British Medical Journal 292 (1986): open surgery removed more small stones and more large ones than the puncture,
  /// and fewer over all, because it was done for the large ones.
  @Test func `what is better in every stratum is better, whatever the mix`() throws {
    let strata = [((234, 270), (81, 87)), ((55, 80), (192, 263))].compactMap { a, b in
      TwoProportions(a: (count: a.0, of: a.1), b: (count: b.0, of: b.1))
    }
    let pooled = try #require(TwoProportionComparison(a: (289, of: 350), b: (273, of: 350)))
    let within = try #require(StratifiedComparison(strata))
    #expect(pooled.difference < 0)
    #expect(within.difference > 0 && within.strataCount == 2)
  }

  @Test func `of one stratum the difference is that of the two proportions`() throws {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<200 {
      let totals = (Int.random(in: 1...500, using: &random), Int.random(in: 1...500, using: &random))
      let counts = (Int.random(in: 0...totals.0, using: &random), Int.random(in: 0...totals.1, using: &random))
      let proportions = try #require(TwoProportions(a: (counts.0, of: totals.0), b: (counts.1, of: totals.1)))
      let within = try #require(StratifiedComparison([proportions]))
      #expect(abs(within.difference - proportions.difference) < 1e-12)
      #expect(within.low <= within.difference && within.difference <= within.high)
      #expect((0...1).contains(within.p))
    }
  }

  @Test func `without a stratum that has both sides there is nothing to say`() {
    #expect(StratifiedComparison([]) == nil)
  }

  @Test func `without variance there is no evidence`() throws {
    let strata = [TwoProportions(a: (0, of: 4), b: (0, of: 5)), TwoProportions(a: (7, of: 7), b: (3, of: 3))].compactMap { $0 }
    let within = try #require(StratifiedComparison(strata))
    #expect(within.difference == 0 && within.p == 1)
  }
}
