import FunnelProjections
import FunnelTestSupport
import Testing

@Suite struct HolmCorrectionTests {
  /// The steps of Holm's procedure (1979) by hand: of four, 0.005 × 4, 0.01 × 3, 0.03 × 2, and 0.04 × 1, which may not be smaller than the
  /// one before it.
  @Test func fourPValuesAreAdjustedStepByStep() {
    let adjusted = HolmCorrection.adjusted([0.01, 0.04, 0.03, 0.005])
    #expect(zip(adjusted, [0.03, 0.06, 0.06, 0.02]).allSatisfy { abs($0 - $1) < 1e-15 })
  }

  @Test func oneOrNoPValueStaysAsItIs() {
    #expect(HolmCorrection.adjusted([]) == [])
    #expect(HolmCorrection.adjusted([0.04]) == [0.04])
  }

  @Test func adjustedPValuesAreAtMostOne() {
    #expect(HolmCorrection.adjusted([0.6, 0.5, 1]) == [1, 1, 1])
  }

  @Test func adjustedPValuesAreAtLeastThoseGivenAndInTheirOrder() {
    var random = SeededGenerator(seed: 14)
    for _ in 0..<500 {
      let given = (0..<Int.random(in: 1...30, using: &random)).map { _ in
        // Some are equal.
        Bool.random(using: &random)
          ? Double.random(in: 0...1, using: &random) : Double(Int.random(in: 0...20, using: &random)) / 20
      }
      let adjusted = HolmCorrection.adjusted(given)
      #expect(zip(given, adjusted).allSatisfy { $0 <= $1 && $1 <= min(1, $0 * Double(given.count)) }, "\(given)")
      let byP = zip(given, adjusted).sorted { $0.0 < $1.0 }
      #expect(zip(byP, byP.dropFirst()).allSatisfy { $0.1 <= $1.1 }, "\(given)")
      #expect(HolmCorrection.adjusted(given.reversed()) == adjusted.reversed(), "\(given)")
    }
  }
}
