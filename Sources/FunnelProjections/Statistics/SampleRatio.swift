/// A check of whether two sides have the sizes that their assignment should give them.
///
/// The goodness of fit is the χ² of K. Pearson, Philosophical Magazine 50 (1900), 157–175, with one degree of freedom, which is the square
/// of a standard normal value.
public struct SampleRatio: Hashable, Sendable {
  /// A smaller p than this is a mismatch rather than chance: R. Kohavi, D. Tang and Y. Xu, "Trustworthy Online Controlled Experiments"
  /// (2020), chapter 21. It is that small because every experiment is checked, and few assignments are broken.
  static let suspectP = 0.001
  /// The values that a part of a ratio may have, which keep the arithmetic far from overflow.
  public static let ratioParts = 1e-6...1e6

  public let chiSquared: Double
  public let p: Double

  /// Whether the sizes fit the ratio so badly that the comparison should not be trusted.
  public var isSuspect: Bool { p < Self.suspectP }

  /// - Parameters:
  ///   - a: The size of A.
  ///   - b: The size of B.
  ///   - expected: The ratio of the sizes, as in 50:50 or 1:2; both parts must be in `ratioParts`.
  /// - Returns: nil if both sizes are 0.
  public init?(a: Int, b: Int, expected: (a: Double, b: Double) = (1, 1)) {
    precondition(a >= 0 && b >= 0, "a size is not negative")
    precondition(Self.ratioParts.contains(expected.a) && Self.ratioParts.contains(expected.b), "a part of a ratio is in bounds")
    guard a > 0 || b > 0 else { return nil }
    // Σ (observed − expected)² / expected, reduced to one fraction, which is exactly 0 where the sizes fit the ratio exactly.
    let (sizeA, sizeB) = (Double(a), Double(b))
    let excess = sizeA * expected.b - sizeB * expected.a
    chiSquared = excess * excess / ((sizeA + sizeB) * expected.a * expected.b)
    p = NormalDistribution.twoSidedP(chiSquared.squareRoot())
  }
}
