/// A test of whether several proportions are the same: K. Pearson's χ² of the table of all sides, with one degree of freedom less than there
/// are sides.
public struct HomogeneityTest: Hashable, Sendable {
  public let chiSquared: Double
  public let degreesOfFreedom: Int
  public let p: Double

  /// - Parameter sides: How many of how many each side has; sides without a total are left out.
  /// - Returns: nil if fewer than two sides have a total.
  public init?(_ sides: [(count: Int, of: Int)]) {
    let sides = sides.filter { $0.of > 0 }
    guard sides.count > 1 else { return nil }
    precondition(sides.allSatisfy { 0 <= $0.count && $0.count <= $0.of }, "a count is from 0 to its total")
    degreesOfFreedom = sides.count - 1
    let total = sides.reduce(0.0) { $0 + Double($1.of) }
    let counted = sides.reduce(0.0) { $0 + Double($1.count) }
    guard counted > 0, counted < total else {
      // All or none: there is no variance, so there is no evidence of a difference.
      (chiSquared, p) = (0, 1)
      return
    }
    // Both cells of a side have the same excess over their expectations, so that its two terms are one fraction.
    chiSquared = sides.reduce(0) { sum, side in
      let expected = Double(side.of) * counted / total
      let excess = Double(side.count) - expected
      return sum + excess * excess / (expected * (total - counted) / total)
    }
    p = ChiSquaredDistribution.upperTail(chiSquared, degreesOfFreedom: degreesOfFreedom)
  }
}
