#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A p-value and a 95 % confidence interval for the difference of two proportions that are valid under continuous monitoring.
///
/// If two proportions are equal, the probability that the p-value is ever below 0.05 is at most 5 %, regardless of
/// how often the data is examined and when the experiment stops.
///
/// It is the mixture sequential probability ratio test with a normal mixture around no difference: R. Johari, P.
/// Koomen, L. Pekelis and D. Walsh, "Always Valid Inference: Continuous Monitoring of A/B Tests", Operations Research
/// 70 (2022), 1806–1821.
package struct AnytimeInference: Hashable, Sendable {
  /// The standard deviation τ of the mixture.
  // The test is most sensitive to differences of this size, five percentage points.
  static let mixtureDeviation = 0.05
  /// 1/α for α = 5 %.
  private static let inverseAlpha = 20.0

  /// The p-value, at most 1.
  package let p: Double
  /// The lower end of the interval, which may be below −1 for small samples.
  package let low: Double
  /// The upper end of the interval, which may be above 1 for small samples.
  package let high: Double

  /// Computes the p-value and the interval.
  package init(_ proportions: TwoProportions) {
    // With d = b − a, p̃ = (count + ½)/(n + 1) and V = p̃a(1−p̃a)/na + p̃b(1−p̃b)/nb,
    // p = min(1, √((V+τ²)/V) · exp(−d²τ²/(2V(V+τ²)))), and the interval is d ± √(V(V+τ²)/τ² · (2 ln 20 + ln((V+τ²)/V))).
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

  /// Returns the estimated variance of a proportion.
  ///
  /// It is never 0, because half a group is added to those that are counted and to those that are not.
  private static func variance(_ count: Int, of total: Int) -> Double {
    let share = (Double(count) + 0.5) / (Double(total) + 1)
    return share * (1 - share) / Double(total)
  }
}
