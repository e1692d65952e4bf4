import FunnelModel
import FunnelReports
import Testing

/// The periods of alarms are days of the calendar.
@Suite struct RecentNumbersTests {
  private static let berlin = TimeZoneRules(
    name: "Europe/Berlin",
    transitions: [("2025-10-26T01:00:00Z", 1), ("2026-03-29T01:00:00Z", 2), ("2026-10-25T01:00:00Z", 1)].enumerated().map {
      index, change in
      .init(
        startMilliseconds: index == 0 ? .min : Timestamp(rfc3339: change.0)!.milliseconds,
        offsetMilliseconds: change.1 * 3_600_000)
    })

  /// The clocks of Berlin are set back on 2026-10-25, and set forward on 2026-03-29.
  @Test(arguments: [
    ("2026-10-28T09:00:00Z", "2026-09-22T22:00:00.000Z", "2026-10-20T22:00:00.000Z", "2026-10-27T23:00:00.000Z"),
    ("2026-04-01T09:00:00Z", "2026-02-24T23:00:00.000Z", "2026-03-24T23:00:00.000Z", "2026-03-31T22:00:00.000Z"),
    ("2026-07-15T09:00:00Z", "2026-06-09T22:00:00.000Z", "2026-07-07T22:00:00.000Z", "2026-07-14T22:00:00.000Z"),
  ])
  func `a period begins and ends at midnight, also across a change of the clocks`(
    now: String, baseline: String, recent: String, end: String
  ) throws {
    let queries = RecentNumbers.queries(
      now: try #require(Timestamp(rfc3339: now)), windowMilliseconds: 3_600_000, timeZone: Self.berlin)
    #expect(queries.baseline.since?.description == baseline)
    #expect(queries.baseline.until?.description == recent)
    #expect(queries.recent.since?.description == recent)
    #expect(queries.recent.until?.description == end)
  }
}
