#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A p and a 95 % interval of the difference of two proportions that hold at any look: of all tests of equal proportions, at most 5 % ever
/// have a p below 0.05, however often one looks and whenever one stops.
///
/// It is the mixture sequential probability ratio test with a normal mixture around no difference: R. Johari, P. Koomen, L. Pekelis and
/// D. Walsh, "Always Valid Inference: Continuous Monitoring of A/B Tests", Operations Research 70 (2022), 1806–1821.
public struct AnytimeInference: Hashable, Sendable {
  /// The standard deviation τ of the differences that the test is most sensitive to: about five points.
  static let mixtureDeviation = 0.05
  /// One divided by the error of 5 %.
  private static let inverseAlpha = 20.0

  /// The p, at most 1.
  public let p: Double
  /// The lower end of the interval; small samples have one below −1.
  public let low: Double
  /// The upper end of the interval; small samples have one above 1.
  public let high: Double

  /// With d = b − a, p̃ = (count + ½)/(n + 1) and V = p̃a(1−p̃a)/na + p̃b(1−p̃b)/nb: p = min(1, √((V+τ²)/V) · exp(−d²τ²/(2V(V+τ²)))), and the
  /// interval d ± √(V(V+τ²)/τ² · (2 ln 20 + ln((V+τ²)/V))).
  public init(_ proportions: TwoProportions) {
    let variance =
      Self.variance(proportions.countA, of: proportions.totalA) + Self.variance(proportions.countB, of: proportions.totalB)
    let mixture = Self.mixtureDeviation * Self.mixtureDeviation
    let both = variance + mixture
    let difference = proportions.difference
    p = min(1, (both / variance).squareRoot() * exp(-difference * difference * mixture / (2 * variance * both)))
    let half = (variance * both / mixture * (2 * log(Self.inverseAlpha) + log(both / variance))).squareRoot()
    low = difference - half
    high = difference + half
  }

  /// Returns the variance of a share. It is never 0, since half a group is added to those counted and to those not counted.
  private static func variance(_ count: Int, of total: Int) -> Double {
    let share = (Double(count) + 0.5) / (Double(total) + 1)
    return share * (1 - share) / Double(total)
  }
}
