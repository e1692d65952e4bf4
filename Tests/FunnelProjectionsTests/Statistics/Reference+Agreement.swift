import FunnelProjections
import Testing

/// Each of these expects that the statistics of `funnel` are those of the reference.
extension Reference {
  /// Returns whether two results are equal but for rounding. Differences of numbers close to 1 are rounded absolutely, to about 10⁻¹⁶.
  private func agree(_ value: Double?, _ expected: Double?) -> Bool {
    guard let value, let expected else { return value == nil && expected == nil }
    return abs(value - expected) <= 1e-9 * abs(expected) + 1e-15
  }

  /// Returns whether two p values are equal but for rounding, which is relative even where they are tiny. Neither side computes those
  /// that a Double cannot hold with all its digits.
  private func agree(p: Double, _ expected: Double) -> Bool {
    abs(p - expected) <= 1e-7 * expected + 1e-300
  }

  /// Returns whether two numbers of the test that holds at any look are equal but for rounding. The reference finds them as differences of
  /// logarithms of densities, which have fewer digits where these are far from each other.
  private func agree(anytime value: Double, _ expected: Double) -> Bool {
    abs(value - expected) <= 1e-7 * max(abs(expected), 1e-6) || (value < 1e-12 && expected < 1e-12 && value >= 0)
  }

  private func agree(_ size: Int?, _ expected: Int?) -> Bool {
    agree(size.map(Double.init), expected.map(Double.init))
  }

  func expectComparisons() throws {
    for row in comparisons {
      let label = Comment(rawValue: "\(row.a) and \(row.b), seed \(seed)")
      let (a, b) = ((count: row.a[0], of: row.a[1]), (count: row.b[0], of: row.b[1]))
      let proportions = try #require(TwoProportions(a: a, b: b))
      let comparison = TwoProportionComparison(proportions)
      #expect(agree(comparison.difference, row.difference), label)
      #expect(agree(comparison.low, row.low), label)
      #expect(agree(comparison.high, row.high), label)
      #expect(agree(comparison.lift, row.lift), label)
      #expect(comparison.test.rawValue == row.test, label)
      #expect(agree(p: comparison.p, row.p), label)
      #expect(agree(p: proportions.zTestP, row.zP), label)
      #expect(agree(p: proportions.fisherTestP, row.fisherP), label)
      #expect(agree(anytime: comparison.anytime.p, row.anytimeP), label)
      #expect(agree(anytime: comparison.anytime.low, row.anytimeLow), label)
      #expect(agree(anytime: comparison.anytime.high, row.anytimeHigh), label)
    }
  }

  func expectAdjustedPValues() {
    for row in holm {
      let adjusted = HolmCorrection.adjusted(row.p)
      #expect(adjusted.count == row.adjusted.count)
      #expect(zip(adjusted, row.adjusted).allSatisfy { agree(p: $0, $1) }, "\(row.p), seed \(seed)")
    }
  }

  func expectRatios() throws {
    for row in ratios {
      let label = Comment(rawValue: "\(row.a) and \(row.b) at \(row.ratio), seed \(seed)")
      let ratio = try #require(SampleRatio(a: row.a, b: row.b, expected: (row.ratio[0], row.ratio[1])))
      #expect(agree(ratio.chiSquared, row.chiSquared), label)
      #expect(agree(p: ratio.p, row.p), label)
      #expect(ratio.isSuspect == (row.p < 0.001), label)
    }
  }

  func expectSampleSizes() {
    for row in sampleSizes {
      #expect(
        agree(FunnelProjections.SampleSize.perSide(row.rates[0], row.rates[1]), row.perSide), "\(row.rates), seed \(seed)")
    }
  }

  func expectChanges() {
    for row in changes {
      let size = FunnelProjections.SampleSize.perSide(from: row.rate, detecting: row.change)
      #expect(agree(size, row.perSide), "\(row.rate) and \(row.change), seed \(seed)")
    }
  }

  func expectHomogeneity() throws {
    for row in homogeneity {
      let test = try #require(HomogeneityTest(row.sides.map { (count: $0[0], of: $0[1]) }))
      #expect(agree(test.chiSquared, row.chiSquared), "\(row.sides), seed \(seed)")
      #expect(test.degreesOfFreedom == row.degreesOfFreedom)
      #expect(agree(p: test.p, row.p), "\(row.sides), seed \(seed)")
    }
  }

  func expectStratified() throws {
    for row in stratified {
      let label = Comment(rawValue: "\(row.strata), seed \(seed)")
      let strata = row.strata.compactMap { sides in
        TwoProportions(a: (sides[0][0], of: sides[0][1]), b: (sides[1][0], of: sides[1][1]))
      }
      let comparison = try #require(StratifiedComparison(strata))
      #expect(comparison.strataCount == row.strata.count)
      #expect(agree(comparison.difference, row.difference), label)
      #expect(agree(comparison.low, row.low), label)
      #expect(agree(comparison.high, row.high), label)
      #expect(agree(p: comparison.p, row.p), label)
    }
  }

  func expectTails() {
    for row in chiTails {
      let upper = ChiSquaredDistribution.upperTail(row.x, degreesOfFreedom: row.degreesOfFreedom)
      #expect(agree(p: upper, row.upper), "χ² = \(row.x), \(row.degreesOfFreedom) degrees of freedom")
    }
    #expect(NormalDistribution.z975 == z975)
    #expect(NormalDistribution.z80 == z80)
    for row in tails {
      #expect(agree(p: NormalDistribution.upperTail(row.z), row.upper), "z = \(row.z)")
      #expect(agree(p: NormalDistribution.twoSidedP(row.z), row.twoSided), "z = \(row.z)")
    }
  }
}
