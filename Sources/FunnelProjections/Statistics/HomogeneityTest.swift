/// Pearson's χ² test of whether several proportions are equal.
package struct HomogeneityTest: Hashable, Sendable {
  package let chiSquared: Double
  /// The number of sides minus one.
  package let degreesOfFreedom: Int
  /// The p-value.
  package let p: Double

  /// Tests the proportions of some sides, or returns `nil` if fewer than two sides have a total above 0.
  ///
  /// - Parameter sides: The count and the total of each side. A count is from 0 to its total. Sides with a total of 0
  ///   are ignored.
  package init?(_ sides: [(count: Int, of: Int)]) {
    let sides = sides.filter { $0.of > 0 }
    guard sides.count > 1 else { return nil }
    precondition(sides.allSatisfy { 0 <= $0.count && $0.count <= $0.of }, "a count is from 0 to its total")
    degreesOfFreedom = sides.count - 1
    let total = sides.reduce(0.0) { $0 + Double($1.of) }
    let counted = sides.reduce(0.0) { $0 + Double($1.count) }
    guard counted > 0, counted < total else {
      // If all groups or none are counted, the variance is 0, and nothing suggests a difference.
      chiSquared = 0
      p = 1
      return
    }
    // Both cells of a side deviate from their expectations by the same amount, so their two terms are one fraction.
    chiSquared = sides.reduce(0) { sum, side in
      let expected = Double(side.of) * counted / total
      let excess = Double(side.count) - expected
      return sum + excess * excess / (expected * (total - counted) / total)
    }
    p = ChiSquaredDistribution.upperTail(chiSquared, degreesOfFreedom: degreesOfFreedom)
  }
}
