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

  @Test func smallerDifferencesNeedMore() throws {
    let sizes = try (1...40).map { try #require(SampleSize.perSide(0.5, 0.5 + Double($0) / 100)) }
    #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 > $1 })
  }
}
