import FunnelModel
import Testing

@Suite struct LocalTimeTests {
  /// An hour ahead of UTC, from 1000 s on two hours, and from 20,000 s on one hour again.
  private static let zone = TimeZoneRules(
    name: "Test",
    transitions: [
      .init(startMilliseconds: .min, offsetMilliseconds: 3_600_000),
      .init(startMilliseconds: 1_000_000, offsetMilliseconds: 7_200_000),
      .init(startMilliseconds: 20_000_000, offsetMilliseconds: 3_600_000),
    ])

  @Test(arguments: [
    (3_600_000, 0), (4_599_999, 999_999), (8_200_000, 1_000_000),
    // Skipped: read with the offset before the change, an hour later on the new clock.
    (4_600_000, 1_000_000), (5_000_000, 1_400_000),
    // Twice: the first.
    (23_600_000, 16_400_000), (27_199_999, 19_999_999), (27_200_000, 23_600_000),
  ])
  func `a local time is the first moment at which clocks show it, or moves forward`(local: Int64, moment: Int64) {
    #expect(Self.zone.moment(atLocal: local).milliseconds == moment)
  }
}
