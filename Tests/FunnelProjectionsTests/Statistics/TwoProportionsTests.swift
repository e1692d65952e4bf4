import FunnelProjections
import FunnelTestSupport
import Testing

@Suite struct TwoProportionsTests {
  typealias Side = (count: Int, of: Int)

  private func comparison(_ a: Side, _ b: Side) throws -> TwoProportionComparison {
    try #require(TwoProportionComparison(a: a, b: b))
  }

  /// Newcombe, "Interval estimation for the difference between independent proportions" (1998), table II, method 10, to four digits. The
  /// difference there is the first share minus the second.
  @Test(
    arguments: [
      ((56, 70), (48, 80), 0.0524, 0.3339), ((9, 10), (3, 10), 0.1705, 0.8090), ((6, 7), (2, 7), 0.0582, 0.8062),
      ((5, 56), (0, 29), -0.0381, 0.1926), ((0, 10), (0, 20), -0.1611, 0.2775), ((0, 10), (0, 10), -0.2775, 0.2775),
      ((10, 10), (0, 20), 0.6791, 1), ((10, 10), (0, 10), 0.6075, 1),
    ] as [((Int, Int), (Int, Int), Double, Double)])
  func intervalsAreThoseThatNewcombePublished(first: (Int, Int), second: (Int, Int), low: Double, high: Double) throws {
    let comparison = try comparison(second, first)
    #expect(abs(comparison.low - low) <= 5e-5)
    #expect(abs(comparison.high - high) <= 5e-5)
  }

  /// Fisher's lady tasting tea ("The Design of Experiments", 1935) says of each of eight cups whether milk was poured first: p is 34/70 if
  /// three of four are right, and 2/70 if all are.
  @Test func theLadyTastingTeaHasFishersPValues() throws {
    let threeRight = try comparison((1, 4), (3, 4))
    #expect(threeRight.test == .fisher)
    #expect(abs(threeRight.p - 34.0 / 70) < 1e-15)
    #expect(abs(try comparison((0, 4), (4, 4)).p - 2.0 / 70) < 1e-15)
  }

  /// Fisher's convictions of twins of criminals, of which the manual of R's `fisher.test` gives 0.0005367 as the two-sided p.
  @Test func convictionsOfTwinsHaveThePValueOfR() throws {
    let twins = try #require(TwoProportions(a: (2, 17), b: (10, 13)))
    #expect(abs(twins.fisherTestP - 0.0005367) < 5e-8)
  }

  @Test func theZTestTakesOverWhereEveryCellIsExpectedToBeAtLeastFive() throws {
    #expect(try comparison((3, 10), (7, 10)).test == .z)
    #expect(try comparison((4, 10), (5, 10)).test == .fisher)
    #expect(try comparison((6, 10), (5, 10)).test == .fisher)
  }

  @Test func withoutVarianceThereIsNoEvidence() throws {
    for (a, b) in [((0, 10), (0, 20)), ((7, 7), (20, 20)), ((0, 1), (0, 5_000_000))] as [(Side, Side)] {
      let proportions = try #require(TwoProportions(a: a, b: b))
      #expect(proportions.zTestP == 1)
      #expect(proportions.fisherTestP == 1)
      #expect(TwoProportionComparison(proportions).test == .fisher)
    }
  }

  @Test func aShareOfNothingIsNotCompared() {
    #expect(TwoProportionComparison(a: (0, 0), b: (1, 2)) == nil)
    #expect(TwoProportionComparison(a: (1, 2), b: (0, 0)) == nil)
  }

  @Test func liftIsRelativeToTheBaseline() throws {
    #expect(try comparison((1, 4), (2, 4)).lift == 1)
    #expect(try comparison((2, 4), (0, 4)).lift == -1)
    #expect(try comparison((0, 4), (2, 4)).lift == nil)
    #expect(try comparison((0, 4), (0, 4)).lift == nil)
  }

  @Test func equalSharesDoNotDiffer() throws {
    for (a, b) in [((1, 3), (2, 6)), ((250, 500), (240, 480)), ((70, 1_000_000), (7, 100_000))] as [(Side, Side)] {
      let comparison = try comparison(a, b)
      #expect(comparison.difference == 0)
      #expect(comparison.lift == 0)
      #expect(comparison.p == 1)
    }
  }

  private func randomSide(_ random: inout SeededGenerator) -> Side {
    let total = Int.random(in: 1...(1 << Int.random(in: 0...20, using: &random)), using: &random)
    return (Int.random(in: 0...total, using: &random), total)
  }

  @Test func swappingTheSidesNegatesTheDifferenceAndKeepsP() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      let (a, b) = (randomSide(&random), randomSide(&random))
      let (there, back) = (try comparison(a, b), try comparison(b, a))
      #expect(there.difference == -back.difference, "\(a) and \(b)")
      #expect(there.low == -back.high, "\(a) and \(b)")
      #expect(there.high == -back.low, "\(a) and \(b)")
      #expect(there.test == back.test, "\(a) and \(b)")
      #expect(abs(there.p - back.p) <= 1e-12 * there.p, "\(a) and \(b)")
      #expect(there.anytime.low == -back.anytime.high, "\(a) and \(b)")
      #expect(there.anytime.p == back.anytime.p, "\(a) and \(b)")
    }
  }

  @Test func countingTheOthersNegatesTheDifferenceAndKeepsP() throws {
    var random = SeededGenerator(seed: 12)
    for _ in 0..<2000 {
      let (a, b) = (randomSide(&random), randomSide(&random))
      let counted = try comparison(a, b)
      let others = try comparison((a.of - a.count, a.of), (b.of - b.count, b.of))
      #expect(abs(counted.difference + others.difference) <= 1e-15, "\(a) and \(b)")
      #expect(abs(counted.low + others.high) <= 1e-14, "\(a) and \(b)")
      #expect(abs(counted.high + others.low) <= 1e-14, "\(a) and \(b)")
      #expect(counted.test == others.test, "\(a) and \(b)")
      #expect(abs(counted.p - others.p) <= 1e-9 * counted.p + 1e-300, "\(a) and \(b)")
    }
  }

  @Test func intervalsHoldTheDifferenceAndStayInBounds() throws {
    var random = SeededGenerator(seed: 13)
    for _ in 0..<5000 {
      let (a, b) = (randomSide(&random), randomSide(&random))
      let comparison = try comparison(a, b)
      #expect(-1 <= comparison.low && comparison.low <= comparison.difference, "\(a) and \(b)")
      #expect(comparison.difference <= comparison.high && comparison.high <= 1, "\(a) and \(b)")
      #expect(0 <= comparison.p && comparison.p <= 1, "\(a) and \(b)")
    }
  }

  /// In a table with a small cell, p follows from the first probabilities alone, so the totals do not matter for the time it takes.
  @Test func fishersTestOfBillionsIsThatOfItsLimit() throws {
    let billion = 1_000_000_000
    let comparison = try comparison((0, billion), (6, billion))
    #expect(comparison.test == .fisher)
    // Six of six on one side of two equally large ones: 2 / 2⁶.
    #expect(abs(comparison.p - 1.0 / 32) < 1e-7)
    let largest = try self.comparison((1, Int.max / 4), (2, Int.max / 4))
    #expect(largest.p == 1)
  }
}
