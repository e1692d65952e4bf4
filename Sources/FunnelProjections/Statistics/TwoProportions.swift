/// Two independent proportions, `countA` of A and `countB` of B, to be compared. They are the rows of a 2×2 table:
///
/// |   | counted | not counted |
/// |---|---|---|
/// | A | `countA` | the rest of A |
/// | B | `countB` | the rest of B |
///
/// `TwoProportionComparison` holds what a report says about them; the extensions of this type hold one method each.
public struct TwoProportions: Hashable, Sendable {
  let countA: Int
  let countB: Int
  /// The share of A with its Wilson interval.
  public let rateA: Rate
  /// The share of B with its Wilson interval.
  public let rateB: Rate

  /// - Parameters:
  ///   - a: How many of how many in A. The count must be from 0 to the total.
  ///   - b: The same of B.
  /// - Returns: nil if a total is 0.
  public init?(a: (count: Int, of: Int), b: (count: Int, of: Int)) {
    precondition(0 <= a.count && a.count <= a.of, "a count is from 0 to its total")
    precondition(0 <= b.count && b.count <= b.of, "a count is from 0 to its total")
    guard let rateA = Rate(a.count, of: a.of), let rateB = Rate(b.count, of: b.of) else { return nil }
    (countA, countB) = (a.count, b.count)
    (self.rateA, self.rateB) = (rateA, rateB)
  }

  var totalA: Int { rateA.denominator }
  var totalB: Int { rateB.denominator }
  var total: Int { totalA + totalB }
  var counted: Int { countA + countB }
  var notCounted: Int { total - counted }

  /// The difference of the shares, B − A.
  public var difference: Double { rateB.value - rateA.value }

  /// Whether a cell of the table is below `minimum` if A and B differ only by chance; the expectation of a cell is the product of the
  /// totals of its row and its column, divided by the total of the table.
  func expectsCell(below minimum: Double) -> Bool {
    Double(min(totalA, totalB)) * Double(min(counted, notCounted)) < minimum * Double(total)
  }
}
