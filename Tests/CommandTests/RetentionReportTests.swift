import Foundation
import FunnelTestSupport
import Testing

/// `funnel report retention`: who comes back.
@Suite struct RetentionReportTests {
  private static let now = "2026-11-30T00:00:00Z"
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(
      #"{"app":"shop","flow":"buy","version":1,"title":"Buy","window":"1d","steps":[{"id":"go","entered_by":["go"]},{"id":"pay","entered_by":["pay"]}]}"#,
      to: "flows/shop.buy.v1.json")
    // Ann returns in weeks 1 and 2, by an event of no flow. Bob returns within his first week only. Cem began last week.
    let log = [
      ("go", "ann", "2026-11-02T10:00:00Z"), ("pay", "ann", "2026-11-03T09:00:00Z"), ("ping", "ann", "2026-11-09T10:00:00Z"),
      ("go", "ann", "2026-11-23T09:59:59.999Z"), ("go", "bob", "2026-11-03T10:00:00Z"),
      ("ping", "bob", "2026-11-10T09:59:59.999Z"),
      ("go", "cem", "2026-11-24T10:00:00Z"), ("ping", "dan", "2026-11-02T10:00:00Z"),
    ].map { #"{"name":"\#($0)","subject":"\#($1)","app":"shop","ts":"\#($2)"}"# + "\n" }.joined()
    try place.write(log, to: "log.ndjson")
  }

  private func retention(_ arguments: String...) throws -> FunnelRun {
    try FunnelRun(
      arguments: ["report", "retention", "log.ndjson", "--schemas", "flows", "--now", Self.now] + arguments,
      directory: place.url)
  }

  @Test func `a cohort has a share for each period that is over, after a total`() throws {
    let run = try retention("--periods", "3", "--format", "csv")
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    // Columns of the interval and of the query are left out.
    let lines = run.output.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).prefix(14).joined(separator: ",")
    }
    #expect(
      lines == [
        "app,flow,version,every,from,return,bucket,start,end,groups,period,returned,of,share",
        "shop,buy,1,week,entered,,,,,3,1,1,2,0.5", "shop,buy,1,week,entered,,,,,3,2,1,2,0.5",
        "shop,buy,1,week,entered,,,,,3,3,,,",
        "shop,buy,1,week,entered,,2026-W45,2026-11-02,2026-11-09,2,1,1,2,0.5",
        "shop,buy,1,week,entered,,2026-W45,2026-11-02,2026-11-09,2,2,1,2,0.5",
        "shop,buy,1,week,entered,,2026-W45,2026-11-02,2026-11-09,2,3,,,",
      ]
        + ["2026-W46,2026-11-09,2026-11-16", "2026-W47,2026-11-16,2026-11-23"].flatMap { week in
          (1...3).map { "shop,buy,1,week,entered,,\(week),0,\($0),,," }
        } + (1...3).map { "shop,buy,1,week,entered,,2026-W48,2026-11-23,2026-11-30,1,\($0),,," })
  }

  @Test func `from completed, the events of a return, and the JSON`() throws {
    let run = try retention("--periods", "1", "--from", "completed", "--return", "pay", "--return", "go", "--format", "json")
    #expect(run.errors == "")
    #expect(run.output.contains(#""mature":false,"every":"week","periods":1,"from":"completed","return":["pay","go"]}"#))
    #expect(
      run.output.contains(
        #"{"app":"shop","flow":"buy","version":1,"every":"week","from":"completed","return":["pay","go"],"by":{},"cohorts":[{"bucket":null,"start":null,"end":null,"groups":1,"periods":[{"period":1,"returned":0,"of":1,"share":0,"share_ci95":[0,0."#
      ), "\(run.output)")
    let unknown = try retention("--return", "pin")
    #expect(unknown.errors.contains("the log has no event pin, given with --return, did you mean ping?"), "\(unknown.errors)")
  }

  @Test func `an event on the login of another device is a return of the person, not of the subject`() throws {
    try place.write(
      #"{"name":"go","subject":"phone","user":"eve","app":"shop","ts":"2026-11-02T10:00:00Z"}"# + "\n"
        + #"{"name":"ping","subject":"tablet","user":"eve","app":"shop","ts":"2026-11-10T10:00:00Z"}"# + "\n", to: "log.ndjson")
    func returned(_ unit: String) throws -> Bool {
      try retention("--periods", "1", "--format", "json", "--count-by", unit).output.contains(#""returned":1,"of":1"#)
    }
    #expect(try returned("person") && returned("entry") && !returned("subject") && !returned("attempt"))
  }

  @Test func `a table has a sentence, and a page a shaded triangle`() throws {
    let table = try retention("--periods", "3").output
    #expect(
      table.contains("Of 2 people whose week 1 is over, 1 came back in it (50.0 %*); 1 of 2 (50.0 %*) in week 2"), "\(table)")
    #expect(table.contains("2026-W45"))
    let words = table.replacing(/\s+/, with: " ")
    #expect(
      words.contains("Each row is the people who started in that week. Any event of the app counts as coming back"), "\(table)")
    #expect(
      words.contains("Week 1 is days 7 to 13 after each person's start. Only people whose week is over are counted"),
      "\(table)")
    let days = try retention("--every", "day", "--from", "completed", "--return", "ping").output.replacing(/\s+/, with: " ")
    #expect(
      days.contains("Each row is the people who completed the flow on that day. Only ping counts as coming back"), "\(days)")
    #expect(days.contains("Day 1 is hours 24 to 47 after each person's last step"), "\(days)")
    let months = try retention("--every", "month").output.replacing(/\s+/, with: " ")
    #expect(months.contains("Month 1 is days 30 to 59 after each person's start"), "\(months)")
    let page = try retention("--periods", "3", "--format", "html").output
    #expect(page.contains("Who came back, by week"))
    // All cells are of few people.
    #expect(Set(page.matches(of: #/fill-opacity="([^"]*)"/#).map { String($0.1) }) == ["0.06"], "\(page)")
    #expect(page.contains(#/<text [^>]*>[0-9.]+ %\*<\/text>/#), "\(page)")
    #expect(page.contains("<title>Buy · shop/buy · Retention</title>") && page.contains("<h1>Buy</h1>"), "\(page)")
  }

  /// Returns the first headline of a page, without markup.
  private func headline(_ arguments: String...) throws -> String {
    let page = try FunnelRun(
      arguments: ["report", "retention", "log.ndjson", "--schemas", "flows", "--format", "html"] + arguments,
      directory: place.url
    ).output
    let match = try #require(page.firstMatch(of: #/<p class="headline">(.*?)<\/p>/#), "\(page)")
    return String(match.1.replacing(#/<[^>]*>/#, with: ""))
  }

  @Test func `a page has a headline of its own, over all segments`() throws {
    let expected = "Of 2 people whose week 1 is over, 1 came back in it (50.0 %*); 1 of 2 (50.0 %*) in week 2."
    #expect(try headline("--now", Self.now) == expected)
    #expect(try headline("--now", Self.now, "--by", "weekday") == expected)
    // A later period than the last one of the report is not named.
    #expect(
      try headline("--now", Self.now, "--periods", "1") == "Of 2 people whose week 1 is over, 1 came back in it (50.0 %*).")
    #expect(try headline("--now", "2026-11-04T00:00:00Z") == "2 people entered; week 1 is over for none of them yet.")
  }

  @Test func `a weekday without people has an empty bar`() throws {
    let page = try retention("--periods", "1", "--by", "weekday", "--format", "html").output
    let labels = page.matches(of: #/<text class="l(?: wide)?" x="0%"[^>]*>([^<]*)</#).map { String($0.1) }
    #expect(labels == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"], "\(page)")
  }

  @Test func `states merge to the report, from files and a store alike`() throws {
    let lines = try place.text("log.ndjson").split(separator: "\n")
    try place.write(lines.filter { $0.contains("ann") }.joined(separator: "\n"), to: "a.ndjson")
    try place.write(lines.filter { !$0.contains("ann") }.joined(separator: "\n"), to: "b.ndjson")
    let options = ["--from", "entered", "--periods", "2", "--every", "day", "--return", "ping"]
    let expected = try FunnelRun(
      arguments: ["report", "retention", "log.ndjson", "--schemas", "flows", "--format", "json", "--now", Self.now] + options,
      directory: place.url)
    #expect(expected.status == 0 && expected.output.contains(#""cohorts""#))
    for name in ["a", "b"] {
      let run = try FunnelRun(
        arguments: ["fold", "retention", "\(name).ndjson", "--schemas", "flows", "--now", Self.now, "--state", "\(name).state"]
          + options,
        directory: place.url)
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(try place.run("merge", "a.state", "b.state", "retention", "--format", "json").output == expected.output)
    _ = try place.run("ingest", "log.ndjson", "--schemas", "flows", "--now", Self.now)
    let stored = try FunnelRun(
      arguments: ["report", "retention", "--schemas", "flows", "--format", "json", "--now", Self.now] + options,
      directory: place.url)
    #expect(stored.output == expected.output)
  }

  @Test(arguments: [
    (["report", "retention", "--periods", "0"], "not a number of periods, --periods 0, give a number from 1 to 366"),
    (
      ["report", "retention", "--return", "Ping"],
      "not an event, --return Ping, write lower-case letters, digits and underscores, beginning with a letter"
    ),
    (
      ["report", "retention", "--from", "complete"],
      "unknown value, --from complete, give entered or completed, or a format of records: auto, native, segment, rudderstack, amplitude, mixpanel, posthog, ga4, snowplow, cloudevents, json, csv"
    ),
    (
      ["report", "retention", "--anchor", "best"],
      "the best start is chosen by how far it got, so it can't be assigned to a time, --anchor best with retention, leave one of them out"
    ),
    (
      ["report", "steps", "--periods", "3"],
      "--periods is only for retention, --periods 3, write: funnel report retention --periods 3"
    ),
    (
      ["report", "retention", "--from", "amplitude"],
      "--from is only for input files, a store holds funnel's own events, leave it out"
    ),
  ])
  func `an option that does not apply is refused, 64`(arguments: [String], message: String) throws {
    let run = try FunnelRun(arguments: arguments, directory: place.url)
    #expect((run.status, run.output, run.errors) == (64, "", "funnel: \(message)\n"))
  }
}
