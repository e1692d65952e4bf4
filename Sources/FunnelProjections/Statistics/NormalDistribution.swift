#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The standard normal distribution: tail probabilities and two quantiles.
///
/// Tails are computed from the complementary error function, so very small tails are precise too:
/// M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions" (1964), 26.2.29.
package enum NormalDistribution {
  /// The 97.5th percentile, used for 95 % confidence intervals.
  package static let z975 = 1.959963984540054
  /// The 80th percentile, used for a power of 80 %.
  package static let z80 = 0.8416212335729143

  /// Returns the probability that a standard normal variable is at least `z`.
  package static func upperTail(_ z: Double) -> Double {
    erfc(z / 2.0.squareRoot()) / 2
  }

  /// Returns the two-sided p-value of `z`: the probability that the absolute value of the variable is at least that of `z`.
  package static func twoSidedP(_ z: Double) -> Double {
    erfc(abs(z) / 2.0.squareRoot())
  }
}
