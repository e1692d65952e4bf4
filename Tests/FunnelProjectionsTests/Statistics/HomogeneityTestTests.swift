import FunnelProjections
import Testing

@Suite struct HomogeneityTestTests {
  @Test func `of two sides it is the square of the z test`() throws {
    let test = try #require(HomogeneityTest([(264, of: 500), (279, of: 480)]))
    let proportions = try #require(TwoProportions(a: (264, of: 500), b: (279, of: 480)))
    #expect(test.degreesOfFreedom == 1)
    #expect(abs(test.p - proportions.zTestP) < 1e-12)
  }

  @Test func `sides without anybody are left out, and one side is no test`() throws {
    #expect(HomogeneityTest([(1, of: 2)]) == nil)
    #expect(HomogeneityTest([(1, of: 2), (0, of: 0)]) == nil)
    let test = try #require(HomogeneityTest([(10, of: 50), (0, of: 0), (20, of: 50), (15, of: 50)]))
    #expect(test == HomogeneityTest([(10, of: 50), (20, of: 50), (15, of: 50)]))
    #expect(test.degreesOfFreedom == 2)
  }

  @Test func `all or none is no evidence`() throws {
    for sides in [[(0, of: 5), (0, of: 9), (0, of: 1)], [(5, of: 5), (9, of: 9), (1, of: 1)]] {
      let test = try #require(HomogeneityTest(sides))
      #expect(test.chiSquared == 0 && test.p == 1)
    }
  }

  @Test func `the order of the sides makes no difference`() throws {
    let (there, back) = (
      try #require(HomogeneityTest([(10, of: 50), (12, of: 40), (20, of: 60)])),
      try #require(HomogeneityTest([(20, of: 60), (12, of: 40), (10, of: 50)]))
    )
    #expect(abs(there.chiSquared - back.chiSquared) < 1e-12)
  }
}
