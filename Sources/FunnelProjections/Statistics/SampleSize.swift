/// Computes the sample size of an experiment with two sides.
package enum SampleSize {
  /// Returns the number of groups of each side that a two-sided test at 5 % needs to detect the difference of two
  /// rates with a power of 80 %.
  ///
  /// Returns `nil` if the rates are equal, or so close that the number exceeds an `Int`. The number is
  /// ⌈(z₀.₉₇₅·√(2p̄q̄) + z₀.₈·√(p₁q₁ + p₂q₂))² / (p₁ − p₂)²⌉ with q = 1 − p and p̄ the mean of both rates: J. L.
  /// Fleiss, A. Tytun and H. K. Ury, "A simple approximation for calculating sample sizes for comparing independent
  /// proportions", Biometrics 36 (1980), 343–346, before their continuity correction.
  ///
  /// - Parameters:
  ///   - p1: The rate of one side, from 0 to 1.
  ///   - p2: The rate of the other.
  package static func perSide(_ p1: Double, _ p2: Double) -> Int? {
    precondition(0 <= p1 && p1 <= 1 && 0 <= p2 && p2 <= 1, "a rate is from 0 to 1")
    guard p1 != p2 else { return nil }
    let mean = (p1 + p2) / 2
    let ifEqual = (2 * mean * (1 - mean)).squareRoot()
    let ifDifferent = (p1 * (1 - p1) + p2 * (1 - p2)).squareRoot()
    let root = (NormalDistribution.z975 * ifEqual + NormalDistribution.z80 * ifDifferent) / (p1 - p2)
    return Int(exactly: (root * root).rounded(.up))
  }

  /// The range of changes of a rate.
  // From a rate of one half, a larger change is possible in neither direction.
  package static let changes = Double.leastNonzeroMagnitude...0.5

  /// Returns the number of groups of each side that a two-sided test at 5 % needs to detect a change of a rate with a
  /// power of 80 %.
  ///
  /// Returns `nil` if the number exceeds an `Int`.
  ///
  /// - Parameters:
  ///   - rate: The rate of the baseline, from 0 to 1.
  ///   - change: The absolute change in ``changes``, such as 0.02 for two percentage points. It is upward, or
  ///     downward if the rate would exceed 1.
  package static func perSide(from rate: Double, detecting change: Double) -> Int? {
    precondition(changes.contains(change), "a change is a share of at most one half")
    let higher = rate + change
    return perSide(rate, higher > 1 ? max(0, rate - change) : higher)
  }
}
