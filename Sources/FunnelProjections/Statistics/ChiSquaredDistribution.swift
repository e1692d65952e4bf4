#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The χ² distribution.
package enum ChiSquaredDistribution {
  /// Returns the probability that a χ² variable is at least `x`.
  ///
  /// The result is a finite sum: M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions" (1964), 26.4.4
  /// and 26.4.5.
  ///
  /// - Parameters:
  ///   - x: The value, which must not be negative.
  ///   - degreesOfFreedom: The degrees of freedom, at least 1.
  package static func upperTail(_ x: Double, degreesOfFreedom: Int) -> Double {
    precondition(x >= 0 && degreesOfFreedom >= 1, "χ² is not negative, and has a degree of freedom")
    let half = x / 2
    let isEven = degreesOfFreedom % 2 == 0
    // The terms are halfʲ / j! for even degrees, and halfʲ⁻½ / Γ(j + ½) for odd ones.
    var term = isEven ? exp(-half) : 2 * exp(-half) * (half / .pi).squareRoot()
    var sum = isEven ? 0 : erfc(half.squareRoot())
    for index in 0..<(degreesOfFreedom / 2) {
      sum += term
      term *= half / (Double(index) + (isEven ? 1 : 1.5))
    }
    return min(1, sum)
  }
}
