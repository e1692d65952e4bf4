import FunnelProjections
import Testing

@Suite struct SampleSizeTests {
  /// `power.prop.test` of R, which has the same formula, rounded up.
  @Test(arguments: [(0.10, 0.20, 199), (0.50, 0.75, 58), (0, 1, 2)])
  func sizesAreThoseOfR(p1: Double, p2: Double, size: Int) {
    #expect(SampleSize.perSide(p1, p2) == size)
    #expect(SampleSize.perSide(p2, p1) == size)
  }

  @Test func equalRatesNeedNoSize() {
    for rate in [0, 0.25, 1.0 / 3, 1] { #expect(SampleSize.perSide(rate, rate) == nil) }
  }

  @Test func ratesTooCloseForAnIntHaveNoSize() {
    #expect(SampleSize.perSide(0.5, 0.5.nextUp) == nil)
    #expect(SampleSize.perSide(0, .leastNonzeroMagnitude) == nil)
    #expect(SampleSize.perSide(0.5, 0.5 + 1e-9) != nil)
  }

  /// A baseline of 95.1 % has no room for five points upwards.
  @Test func aChangeGoesDownwardsWhereUpWouldPassAllOfThem() {
    #expect(SampleSize.perSide(from: 0.5, detecting: 0.05) == SampleSize.perSide(0.5, 0.55))
    #expect(SampleSize.perSide(from: 0.95, detecting: 0.05) == SampleSize.perSide(0.95, 1))
    #expect(SampleSize.perSide(from: 0.951, detecting: 0.05) == SampleSize.perSide(0.951, 0.951 - 0.05))
    #expect(SampleSize.perSide(from: 0.5, detecting: 0.5) == SampleSize.perSide(0.5, 1))
  }

  @Test func smallerDifferencesNeedMore() throws {
    let sizes = try (1...40).map { try #require(SampleSize.perSide(0.5, 0.5 + Double($0) / 100)) }
    #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 > $1 })
  }
}
