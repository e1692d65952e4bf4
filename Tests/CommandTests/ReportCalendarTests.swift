import Foundation
import Testing

/// Days, weeks and months are those of the time zone that is asked for.
@Suite struct ReportCalendarTests {
  /// Returns how many groups entered, for each value of a calendar dimension, sorted by the value.
  private func entered(by dimension: String, _ times: [String], tz: String) throws -> [String] {
    let place = try Workplace()
    let lines = times.enumerated().map {
      "{\"name\":\"perm_flow_start\",\"ts\":\"\($1)\",\"subject\":\"s\($0)\",\"app\":\"cleaner\"}\n"
    }
    try place.write(lines.joined(), to: "log.ndjson")
    let output = try place.report("funnel", "log.ndjson", "--by", dimension, "--tz", tz)
    let json = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
    return (json?["funnel"] as? [[String: Any]] ?? []).map { row in
      "\((row["by"] as? [String: Any])?[dimension] ?? "?") \(row["entered"] ?? "?")"
    }.sorted()
  }

  @Test func `a day in Berlin has 23 hours in spring and 25 in autumn`() throws {
    let spring = [
      "2026-03-28T22:59:59.999Z", "2026-03-28T23:00:00Z", "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z",
      "2026-03-29T21:59:59.999Z",
      "2026-03-29T22:00:00Z",
    ]
    #expect(try entered(by: "day", spring, tz: "Europe/Berlin") == ["2026-03-28 1", "2026-03-29 4", "2026-03-30 1"])
    let autumn = [
      "2026-10-24T21:59:59.999Z", "2026-10-24T22:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z",
      "2026-10-25T22:59:59.999Z",
      "2026-10-25T23:00:00Z",
    ]
    #expect(try entered(by: "day", autumn, tz: "Europe/Berlin") == ["2026-10-24 1", "2026-10-25 4", "2026-10-26 1"])
    #expect(try entered(by: "day", autumn, tz: "UTC") == ["2026-10-24 2", "2026-10-25 4"])
  }

  @Test func `weeks are ISO weeks and months end at midnight of the zone`() throws {
    let times = ["2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z", "2026-10-31T22:59:59Z", "2026-10-31T23:00:00Z"]
    #expect(try entered(by: "week", times, tz: "Europe/Berlin") == ["2026-W43 1", "2026-W44 3"])
    #expect(try entered(by: "month", times, tz: "Europe/Berlin") == ["2026-10 3", "2026-11 1"])
    #expect(
      try entered(by: "week", ["2021-01-03T12:00:00Z", "2018-12-31T12:00:00Z"], tz: "UTC") == ["2019-W01 1", "2020-W53 1"])
    #expect(
      try entered(by: "day", ["2026-11-19T18:29:59Z", "2026-11-19T18:30:00Z"], tz: "+05:30") == [
        "2026-11-19 1", "2026-11-20 1",
      ])
    #expect(
      try entered(by: "day", ["2026-11-20T11:59:59Z", "2026-11-20T12:00:00Z"], tz: "-12:00") == [
        "2026-11-19 1", "2026-11-20 1",
      ])
  }

  @Test func `a date given to --since is midnight in the zone`() throws {
    let place = try Workplace()
    try place.write(
      LogLine.event("perm_flow_start", "s1", at: 13 * 3600 - 1) + LogLine.event("perm_flow_start", "s2", at: 13 * 3600),
      to: "log.ndjson")
    // 23:00 UTC is midnight in Berlin.
    let berlin = try place.report("funnel", "log.ndjson", "--since", "2026-11-21", "--tz", "Europe/Berlin")
    #expect(berlin.contains(#""since":"2026-11-20T23:00:00.000Z""#))
    #expect(berlin.contains(#""entered":1,"#))
    #expect(try place.report("funnel", "log.ndjson", "--since", "2026-11-21").contains(#""funnel":[]"#))
  }

  /// On the first Sunday of September the clocks of Chile go from midnight to one o'clock: 04:00 UTC.
  @Test func `a date whose midnight is skipped begins at its first instant`() throws {
    let place = try Workplace()
    let lines = ["2026-09-06T03:59:59.999Z", "2026-09-06T04:00:00Z"].enumerated().map {
      "{\"name\":\"perm_flow_start\",\"ts\":\"\($1)\",\"subject\":\"s\($0)\",\"app\":\"cleaner\"}\n"
    }
    try place.write(lines.joined(), to: "log.ndjson")
    let report = try place.report("funnel", "log.ndjson", "--since", "2026-09-06", "--tz", "America/Santiago")
    #expect(report.contains(#""since":"2026-09-06T04:00:00.000Z""#))
    #expect(report.contains(#""entered":1,"#))
  }
}
