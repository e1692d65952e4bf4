import FunnelModel
import FunnelTestSupport
import Testing

/// The first moment of a local day, if a change of the clocks skips or repeats midnight.
@Suite struct TimeZoneRulesTests {
  /// Returns a zone with one change of the clocks.
  private func zone(from before: Double, to after: Double, at change: String) throws -> TimeZoneRules {
    let start = try #require(Timestamp(rfc3339: change)).milliseconds
    return TimeZoneRules(
      name: "Test",
      transitions: [
        .init(startMilliseconds: .min, offsetMilliseconds: Int64(before * 3_600_000)),
        .init(startMilliseconds: start, offsetMilliseconds: Int64(after * 3_600_000)),
      ])
  }

  @Test(arguments: [
    // Midnight exists once.
    (-4.0, -3.0, "2026-09-06T07:00:00Z", "2026-09-06", "2026-09-06T04:00:00.000Z"),
    (1.0, 2.0, "2026-03-29T01:00:00Z", "2026-03-29", "2026-03-28T23:00:00.000Z"),
    (1.0, 2.0, "2026-03-29T01:00:00Z", "2026-03-30", "2026-03-29T22:00:00.000Z"),
    // Midnight is skipped: America/Santiago, Asia/Beirut.
    (-4.0, -3.0, "2026-09-06T04:00:00Z", "2026-09-06", "2026-09-06T04:00:00.000Z"),
    (-4.0, -3.0, "2026-09-06T04:00:00Z", "2026-09-05", "2026-09-05T04:00:00.000Z"),
    (-4.0, -3.0, "2026-09-06T04:00:00Z", "2026-09-07", "2026-09-07T03:00:00.000Z"),
    (2.0, 3.0, "2026-03-28T22:00:00Z", "2026-03-29", "2026-03-28T22:00:00.000Z"),
    // Midnight is repeated: America/Havana, Asia/Gaza.
    (-4.0, -5.0, "2026-11-01T05:00:00Z", "2026-11-01", "2026-11-01T04:00:00.000Z"),
    (3.0, 2.0, "2026-10-23T22:00:00Z", "2026-10-24", "2026-10-23T21:00:00.000Z"),
    // The day is skipped: Pacific/Apia.
    (-10.0, 14.0, "2011-12-30T10:00:00Z", "2011-12-30", "2011-12-30T10:00:00.000Z"),
    (-10.0, 14.0, "2011-12-30T10:00:00Z", "2011-12-31", "2011-12-30T10:00:00.000Z"),
  ])
  func theFirstMomentOfADayIsFoundWhereverTheClocksChange(
    before: Double, after: Double, change: String, day: String, first: String
  ) throws {
    let rules = try zone(from: before, to: after, at: change)
    #expect(rules.midnight(of: try #require(CivilDate(day))).description == first, "\(before) to \(after) at \(change)")
  }

  @Test func noMomentBeforeTheFirstOneIsOfTheDay() throws {
    let seed: UInt64 = 61
    var random = SeededGenerator(seed: seed)
    for round in 0..<500 {
      let offsets = (0..<2).map { _ in Double(Int.random(in: -48...56, using: &random)) / 4 }
      let change =
        try #require(Timestamp(rfc3339: "2026-06-15T00:00:00Z")).milliseconds
        + Int64.random(in: 0..<96, using: &random) * 900_000
      let rules = try zone(from: offsets[0], to: offsets[1], at: Timestamp(milliseconds: change).description)
      for number in 13...17 {
        let day = try #require(CivilDate(year: 2026, month: 6, day: number))
        let first = rules.midnight(of: day).milliseconds
        let what = "seed \(seed), round \(round), \(day)"
        #expect(rules.day(at: first) >= day, "\(what)")
        for quarter in 1...200 {
          #expect(rules.day(at: first - Int64(quarter) * 900_000 + 899_999) < day, "\(what), \(quarter) quarters before")
        }
      }
    }
  }
}
