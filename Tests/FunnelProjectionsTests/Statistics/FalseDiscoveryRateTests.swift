import FunnelProjections
import Testing

@Suite struct FalseDiscoveryRateTests {
  /// The p-values of the example of Benjamini and Hochberg (1995, section 3.3), with the q-values that
  /// `scipy.stats.false_discovery_control` of SciPy 1.17 returns.
  @Test func `the example of the article has the q values of SciPy`() {
    let given = [
      0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1,
    ]
    let expected = [
      0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.06385714285714286, 0.06385714285714286, 0.0645, 0.0765,
      0.48600000000000004, 0.5811818181818182, 0.714875, 0.7532307692307694, 0.8132142857142857, 1,
    ]
    #expect(zip(FalseDiscoveryRate.adjusted(given), expected).allSatisfy { abs($0 - $1) < 1e-12 })
    let reversed = FalseDiscoveryRate.adjusted(given.reversed())
    #expect(zip(reversed, expected.reversed()).allSatisfy { abs($0 - $1) < 1e-12 })
  }

  @Test func `one or no p value stays as it is`() {
    #expect(FalseDiscoveryRate.adjusted([]) == [])
    #expect(FalseDiscoveryRate.adjusted([0.04]) == [0.04])
  }
}
