import FunnelModel

/// The comparison of a proportion B with a baseline A: difference, confidence intervals and p-values.
///
///     let comparison = TwoProportionComparison(a: (264, of: 500), b: (240, of: 480))
package struct TwoProportionComparison: Hashable, Sendable {
  /// A test of whether A and B differ by more than chance.
  package enum Test: String, Hashable, Sendable {
    /// The z test with pooled variance.
    case z
    /// Fisher's exact test.
    case fisher
  }

  /// The expected count of a cell of the 2×2 table below which Fisher's exact test replaces the z test: W. G. Cochran,
  /// "Some methods for strengthening the common χ² tests", Biometrics 10 (1954), 417–451.
  static let expectedCellMin = 5.0

  /// The difference of the proportions, B − A.
  package var difference: Double
  /// The lower end of Newcombe's 95 % confidence interval for the difference.
  package var low: Double
  /// The upper end of that interval.
  package var high: Double
  /// The relative difference, B/A − 1, or `nil` if A is 0.
  package var lift: Double?
  /// The test that ``p`` is the result of.
  package var test: Test
  /// The two-sided p-value of the test.
  package var p: Double
  /// The p-value and the interval that are valid under continuous monitoring.
  package var anytime: AnytimeInference

  /// Compares two proportions.
  package init(_ proportions: TwoProportions) {
    difference = proportions.difference
    (low, high) = proportions.newcombeInterval
    let rateA = proportions.rateA.value
    let rateB = proportions.rateB.value
    lift = rateA == 0 ? nil : rateB / rateA - 1
    test = proportions.test
    p = proportions.testP
    anytime = AnytimeInference(proportions)
  }

  /// Compares two proportions given by counts, or returns `nil` if a total is 0.
  ///
  /// - Parameters:
  ///   - a: The count and the total of the baseline A. The count must be from 0 to the total.
  ///   - b: The count and the total of B.
  package init?(a: (count: Int, of: Int), b: (count: Int, of: Int)) {
    guard let proportions = TwoProportions(a: a, b: b) else { return nil }
    self.init(proportions)
  }
}

extension TwoProportions {
  /// The test that fits the counts.
  var test: TwoProportionComparison.Test {
    expectsCell(below: TwoProportionComparison.expectedCellMin) ? .fisher : .z
  }

  /// The two-sided p-value of the test that fits the counts, as in ``TwoProportionComparison``.
  package var testP: Double {
    switch test {
    case .z: zTestP
    case .fisher: fisherTestP
    }
  }
}
