import FunnelProjections
import Testing

@Suite struct SampleRatioTests {
  /// R. Kohavi, D. Tang and Y. Xu, "Trustworthy Online Controlled Experiments" (2020): 821,588 and 815,482 users, p = 1.8·10⁻⁶.
  @Test func aPublishedMismatchIsSuspect() throws {
    let ratio = try #require(SampleRatio(a: 821_588, b: 815_482))
    #expect(abs(ratio.p - 1.8e-6) < 0.05e-6)
    #expect(ratio.isSuspect)
  }

  @Test func sizesThatFitTheRatioAreNotSuspect() throws {
    for (a, b, expected) in [(300, 300, (50, 50)), (333, 999, (1, 3)), (1, 9, (10, 90))] as [(Int, Int, (Double, Double))] {
      let ratio = try #require(SampleRatio(a: a, b: b, expected: expected))
      #expect(ratio.chiSquared == 0)
      #expect(ratio.p == 1)
      #expect(!ratio.isSuspect)
    }
  }

  @Test func aSideWithoutGroupsIsSuspectOnceThereAreEnoughOnTheOther() throws {
    #expect(try #require(SampleRatio(a: 0, b: 10)).isSuspect == false)
    #expect(try #require(SampleRatio(a: 0, b: 11)).isSuspect)
  }

  @Test func withoutGroupsThereIsNoRatio() {
    #expect(SampleRatio(a: 0, b: 0) == nil)
  }

  @Test func swappingTheSidesAndTheRatioChangesNothing() throws {
    for (a, b) in [(500, 480), (90, 15), (7, 0)] {
      let there = try #require(SampleRatio(a: a, b: b, expected: (2, 3)))
      #expect(there == SampleRatio(a: b, b: a, expected: (3, 2)))
      #expect(there.p == SampleRatio(a: a, b: b, expected: (40, 60))?.p)
    }
  }
}
