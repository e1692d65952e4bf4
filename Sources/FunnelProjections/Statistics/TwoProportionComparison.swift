/// What a comparison says about two proportions, B against the baseline A.
///
///     let comparison = TwoProportionComparison(a: (264, of: 500), b: (240, of: 480))
public struct TwoProportionComparison: Hashable, Sendable {
  /// A test of whether A and B differ by more than chance.
  public enum Test: String, Hashable, Sendable {
    /// The z test with pooled variance.
    case z
    /// Fisher's exact test.
    case fisher
  }

  /// Where a cell of the 2×2 table is expected to be below this, the normal approximation of the z test is too rough: W. G. Cochran,
  /// "Some methods for strengthening the common χ² tests", Biometrics 10 (1954), 417–451.
  static let expectedCellMin = 5.0

  /// The difference of the shares, B − A.
  public var difference: Double
  /// The lower end of the difference's 95 % interval after Newcombe.
  public var low: Double
  /// The upper end of that interval.
  public var high: Double
  /// The relative difference, B/A − 1; nil if the share of A is 0.
  public var lift: Double?
  /// The test that `p` is from.
  public var test: Test
  /// The two-sided p of the test.
  public var p: Double
  /// The p and the interval that hold however often one looks at the comparison while it grows.
  public var anytime: AnytimeInference

  public init(_ proportions: TwoProportions) {
    difference = proportions.difference
    (low, high) = proportions.newcombeInterval
    let (rateA, rateB) = (proportions.rateA.value, proportions.rateB.value)
    lift = rateA == 0 ? nil : rateB / rateA - 1
    test = proportions.expectsCell(below: Self.expectedCellMin) ? .fisher : .z
    p =
      switch test {
      case .z: proportions.zTestP
      case .fisher: proportions.fisherTestP
      }
    anytime = AnytimeInference(proportions)
  }

  /// - Parameters:
  ///   - a: How many of how many in the baseline A. The count must be from 0 to the total.
  ///   - b: The same of B.
  /// - Returns: nil if a total is 0.
  public init?(a: (count: Int, of: Int), b: (count: Int, of: Int)) {
    guard let proportions = TwoProportions(a: a, b: b) else { return nil }
    self.init(proportions)
  }
}
