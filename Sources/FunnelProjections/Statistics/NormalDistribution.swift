#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The standard normal distribution: the tail probabilities and the quantiles that the statistics of reports need.
///
/// The tails are computed from the complementary error function, so they keep their relative precision however small they are:
/// M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions" (1964), 26.2.29.
public enum NormalDistribution {
  /// The 97.5th percentile, which leaves 5 % in both tails together.
  public static let z975 = 1.959963984540054
  /// The 80th percentile.
  public static let z80 = 0.8416212335729143

  /// Returns the probability of a value of at least `z`.
  public static func upperTail(_ z: Double) -> Double {
    erfc(z / 2.0.squareRoot()) / 2
  }

  /// Returns the probability of a value at least as far from 0 as `z`, in either direction.
  public static func twoSidedP(_ z: Double) -> Double {
    erfc(abs(z) / 2.0.squareRoot())
  }
}
