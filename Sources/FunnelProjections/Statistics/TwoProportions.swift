package import FunnelModel

/// Two independent proportions to compare. They are the rows of a 2×2 table:
///
/// |   | counted | not counted |
/// |---|---|---|
/// | A | `countA` | `totalA - countA` |
/// | B | `countB` | `totalB - countB` |
///
/// Each statistical method is an extension of this type. ``TwoProportionComparison`` has the results that a report needs.
package struct TwoProportions: Hashable, Sendable {
  let countA: Int
  let countB: Int
  /// The proportion of A with its Wilson interval.
  package let rateA: Rate
  /// The proportion of B with its Wilson interval.
  package let rateB: Rate

  /// Creates two proportions, or returns `nil` if a total is 0.
  ///
  /// - Parameters:
  ///   - a: The count and the total of A. The count must be from 0 to the total.
  ///   - b: The count and the total of B. The count must be from 0 to the total.
  package init?(a: (count: Int, of: Int), b: (count: Int, of: Int)) {
    precondition(0 <= a.count && a.count <= a.of, "a count is from 0 to its total")
    precondition(0 <= b.count && b.count <= b.of, "a count is from 0 to its total")
    guard let rateA = Rate(a.count, of: a.of), let rateB = Rate(b.count, of: b.of) else { return nil }
    countA = a.count
    countB = b.count
    self.rateA = rateA
    self.rateB = rateB
  }

  var totalA: Int { rateA.denominator }
  var totalB: Int { rateB.denominator }
  var total: Int { totalA + totalB }
  var counted: Int { countA + countB }
  var notCounted: Int { total - counted }

  /// The difference of the proportions, B − A.
  package var difference: Double { rateB.value - rateA.value }

  /// Returns whether the expected count of a cell of the table is below `minimum`, assuming that the proportions are equal.
  // The expected count is the product of the totals of the cell's row and column, divided by the total of the table.
  func expectsCell(below minimum: Double) -> Bool {
    Double(min(totalA, totalB)) * Double(min(counted, notCounted)) < minimum * Double(total)
  }
}
