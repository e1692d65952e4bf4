/// A test for sample ratio mismatch: whether the sizes of two sides fit the ratio of their assignment.
///
/// It is Pearson's χ² test of goodness of fit, Philosophical Magazine 50 (1900), 157–175, with one degree of freedom.
package struct SampleRatio: Hashable, Sendable {
  /// The p-value below which the sizes are a mismatch: R. Kohavi, D. Tang and Y. Xu, "Trustworthy Online Controlled
  /// Experiments" (2020), chapter 21.
  // It is that small because every experiment is tested, and few assignments are broken.
  static let suspectP = 0.001
  /// The range of each number of a ratio, in which the arithmetic does not overflow.
  package static let ratioParts = 1e-6...1e6

  package let chiSquared: Double
  /// The p-value.
  package let p: Double

  /// Whether the sizes are a mismatch, so the comparison should not be trusted.
  package var isSuspect: Bool { p < Self.suspectP }

  /// Tests the sizes of two sides, or returns `nil` if both are 0.
  ///
  /// - Parameters:
  ///   - a: The size of A.
  ///   - b: The size of B.
  ///   - expected: The ratio of the sizes, such as 50:50 or 1:2. Both numbers must be in ``ratioParts``.
  package init?(a: Int, b: Int, expected: (a: Double, b: Double) = (1, 1)) {
    precondition(a >= 0 && b >= 0, "a size is not negative")
    precondition(Self.ratioParts.contains(expected.a) && Self.ratioParts.contains(expected.b), "a part of a ratio is in bounds")
    guard a > 0 || b > 0 else { return nil }
    // Σ (observed − expected)² / expected as one fraction, which is exactly 0 if the sizes fit the ratio exactly.
    let sizeA = Double(a)
    let sizeB = Double(b)
    let excess = sizeA * expected.b - sizeB * expected.a
    chiSquared = excess * excess / ((sizeA + sizeB) * expected.a * expected.b)
    // χ² with one degree of freedom is the square of a standard normal variable.
    p = NormalDistribution.twoSidedP(chiSquared.squareRoot())
  }
}
