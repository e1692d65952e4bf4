import Foundation
import FunnelTestSupport
import Testing

/// `funnel report`: its sources, its options and its errors.
@Suite struct ReportCommandTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    let log =
      LogLine.completedRun("s1", #""ctx":{"variant":"A"}"#) + LogLine.completedRun("s2", at: 100, #""ctx":{"variant":"B"}"#)
      + LogLine.event("perm_flow_start", "s3", at: 200, #""ctx":{"variant":"A"}"#)
      + LogLine.event("perm_flow_start", "s4", at: 300)
    try place.write(log, to: "log.ndjson")
    _ = try place.ingest("log.ndjson")
  }

  private func funnel(_ arguments: String...) throws -> [[String: Any]] {
    let run = try FunnelRun(
      arguments: ["report", "funnel", "--format", "json", "--now", Workplace.now] + arguments, directory: place.url)
    #expect(run.status == 0, "\(run.errors)")
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    return json?["funnel"] as? [[String: Any]] ?? []
  }

  @Test func `a report is the same bytes from the store, its log, the file and a pipe`() throws {
    let stored = try place.report()
    #expect(stored.contains(#""entered":4,"completed":2,"in_progress":2"#))
    #expect(try place.report("log.ndjson") == stored)
    #expect(try place.report("funnel-store/log") == stored)
    #expect(try place.report("--store", "funnel-store") == stored)
    #expect(try place.report("log.ndjson", "log.ndjson", "--threads", "5") == stored)
    let piped = try FunnelRun(
      shell: #""$FUNNEL" log cat | "$FUNNEL" report - --format json --now \#(Workplace.now)"#, directory: place.url)
    #expect(piped.output == stored)
    for name in ["funnel", "grants", "dropoff"] {
      let named = try place.report(name)
      #expect(try place.report(name, "log.ndjson") == named)
      #expect(named.contains(#""query":{"#) && named.contains("\"\(name)\":["))
      #expect(["funnel", "grants", "dropoff"].allSatisfy { $0 == name || !named.contains("\"\($0)\":[") })
    }
  }

  @Test func `files with bad lines are reported all the same, with a note`() throws {
    try place.write("{\n" + LogLine.event("perm_flow_start", "ann@example.org"), to: "bad.ndjson")
    let run = try FunnelRun(
      arguments: ["report", "--format", "json", "--now", Workplace.now, "log.ndjson", "bad.ndjson"], directory: place.url)
    #expect(run.status == 0)
    #expect(run.output == (try place.report()))
    #expect(
      run.errors.hasPrefix("funnel: 2 of 16 lines were rejected: 1 invalid_json, 1 personal_data\nfunnel:   bad.ndjson:1: "))
  }

  @Test(arguments: [
    (
      ["--flow", "cleaner/permission_flow"],
      "no such flow, --flow cleaner/permission_flow, did you mean cleaner/permissions_flow?"
    ),
    (
      ["--flow", "cleaner/permissions_flow@9"],
      "no such flow, --flow cleaner/permissions_flow@9, did you mean cleaner/permissions_flow@1?"
    ),
    (["--flow", "zzz/zzzzzzzzzz"], "no such flow, --flow zzz/zzzzzzzzzz, see 'funnel schema list'"),
    (["--flow", "cleaner"], "not a flow, --flow cleaner, write it as APP/FLOW or APP/FLOW@VERSION"),
    (["--now", "noon"], "not a time, --now noon, write it as 2026-11-20T10:15:30Z or 2026-11-20"),
    (
      ["--since", "x"],
      "not a time, --since x, write it as 2026-11-20, 2026-11-20T10:15:30Z, monday, yesterday, or 24h, 7d, 4w before now, at most 3650d"
    ),
    (
      ["--until", "x"],
      "not a time, --until x, write it as 2026-11-20, 2026-11-20T10:15:30Z, monday, yesterday, or 24h, 7d, 4w before now, at most 3650d"
    ),
    (
      ["--since", "2026-11-21", "--until", "2026-11-20"],
      "an empty range, --since 2026-11-21T00:00:00.000Z is not before --until 2026-11-20T00:00:00.000Z, swap or change them"
    ),
    (["--window", "7 days"], "not a window, --window 7 days, write it as 500ms, 90s, 30m, 12h, 7d or 2w, at most 3650d"),
    (["--window", "0s"], "a window of no length, --window 0s, give a longer one, such as 7d"),
    (["--order", "orderd"], "unknown value, --order orderd, did you mean ordered?"),
    (["--order", "x"], "unknown value, --order x, give ordered, strict, any"),
    (["--count-by", "subjct"], "unknown value, --count-by subjct, did you mean subject?"),
    (["--tz", "Europe/Berln"], "no such time zone, --tz Europe/Berln, did you mean Europe/Berlin?"),
    (["--tz", "Atlantis"], "no such time zone, --tz Atlantis, write it like Europe/Berlin, or give an offset like +02:00"),
    (["--format", "jsn"], "no such format, --format jsn, did you mean json?"),
    (["--format", "csv"], "a CSV file holds only one report, --format csv, name it: funnel report funnel --format csv"),
    (["--app", "cleaner"], "--app is only for input files, events of a store name their app, leave it out"),
    (
      ["--store", "funnel-store", "log.ndjson"],
      "both --store and input files, log.ndjson, give one of them; the reports are funnel, grants, dropoff, steps, times, trend, outcomes, breaches, access, next, drivers, retention, name one at a time"
    ),
    (["--flow", "a\u{1B}[2J"], "not a flow, --flow a\\u{1b}[2J, write it as APP/FLOW or APP/FLOW@VERSION"),
  ])
  func `every mistake in an option is one line that says what to write instead, 64`(arguments: [String], message: String) throws
  {
    let run = try FunnelRun(arguments: ["report"] + arguments, directory: place.url)
    #expect(run.status == 64)
    #expect(run.output == "")
    #expect(run.errors == "funnel: \(message)\n")
  }

  @Test(arguments: [
    // 2026-11-21 was a Saturday.
    ("today", "UTC", "2026-11-21T00:00"), ("yesterday", "UTC", "2026-11-20T00:00"), ("saturday", "UTC", "2026-11-21T00:00"),
    ("Monday", "UTC", "2026-11-16T00:00"), ("sun", "UTC", "2026-11-15T00:00"), ("FRI", "UTC", "2026-11-20T00:00"),
    // In Auckland it is Sunday already.
    ("today", "Pacific/Auckland", "2026-11-21T11:00"), ("saturday", "Pacific/Auckland", "2026-11-20T11:00"),
  ])
  func `the name of a day is its last midnight in the time zone`(name: String, zone: String, midnight: String) throws {
    let json = try place.report("funnel", "--since", name, "--tz", zone)
    #expect(json.contains(#""since":"\#(midnight):00.000Z""#), "\(json.prefix(200))")
  }

  @Test func `a name that is no file may be a report mistyped, 66`() throws {
    let run = try place.run("report", "grantz")
    #expect(run.status == 66)
    #expect(
      run.errors
        == "funnel: no such input, grantz, No such file or directory, check the path; did you mean 'funnel report grants'?\n")
    #expect(
      try place.run("report", "none.ndjson").errors
        == "funnel: no such input, none.ndjson, No such file or directory, check the path\n")
  }

  @Test func `a count of threads that makes no sense is refused, 64`() throws {
    for threads in ["0", "-1", "x", "5000"] {
      let run = try place.run("report", "--threads=\(threads)")
      #expect(run.status == 64, "\(threads)")
      #expect(run.errors.hasPrefix("funnel: ") && run.errors.count { $0 == "\n" } == 1)
    }
  }

  @Test func `a flow narrows a report, a window and a range change it`() throws {
    #expect(try funnel("--flow", "cleaner/permissions_flow@1").count == 1)
    #expect(try funnel("--flow", "clarity/onboarding").isEmpty)
    #expect(try funnel("--window", "2s")[0]["completed"] as? Int == 0)
    #expect(try funnel("--since", "2026-11-20T10:01:40Z")[0]["entered"] as? Int == 3)
    #expect(try funnel("--since", "2026-11-20T10:01:40Z", "--until", "2026-11-20T10:05:00Z")[0]["entered"] as? Int == 2)
    #expect(try funnel("--since", "25h").isEmpty)
    #expect(try funnel("--since", "27h", "--until", "25h")[0]["entered"] as? Int == 4)
  }

  @Test func `segments come by size, ties by value and null last; conditions hold at the anchor`() throws {
    func segments(_ arguments: String...) throws -> [String] {
      let run = try FunnelRun(
        arguments: ["report", "funnel", "--format", "json", "--now", Workplace.now, "--by", "ctx.variant"] + arguments,
        directory: place.url)
      let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
      return (json?["funnel"] as? [[String: Any]] ?? []).map { row in
        "\((row["by"] as? [String: Any])?["ctx.variant"] ?? "?") \(row["entered"] ?? "?")"
      }
    }
    #expect(try segments() == ["A 2", "B 1", "<null> 1"])
    #expect(try segments("--where", "ctx.variant=A") == ["A 2"])
    #expect(try segments("--where", "ctx.variant!=A") == ["B 1", "<null> 1"])
    #expect(try segments("--where", "ctx.variant!=A", "--where", "ctx.variant!=") == ["B 1"])
    #expect(try segments("--where", "ctx.variant=") == ["<null> 1"])
    #expect(try segments("--where", "ctx.variant = B,") == ["B 1", "<null> 1"])
    #expect(try segments("--where", "ctx.variant~?") == ["A 2", "B 1"])
    #expect(try segments("--where", "ctx.variant=null") == [])
  }

  @Test func `an output file is whole or not there, and the old one stays when a report fails`() throws {
    let run = try place.run("report", "funnel", "--format", "csv", "--output", "out.csv", "--now", Workplace.now)
    #expect(run.status == 0)
    #expect(run.output == "")
    #expect(try place.text("out.csv") == place.run("report", "funnel", "--format", "csv", "--now", Workplace.now).output)
    #expect(try place.run("report", "funnel", "--output", "out.csv", "none.ndjson").status == 66)
    #expect(try place.text("out.csv").hasPrefix("app,flow,version"))
    let nowhere = try place.run("report", "--output", "none/out.txt")
    #expect(nowhere.status == 73)
    #expect(nowhere.errors.hasPrefix("funnel: ") && nowhere.errors.contains("none/out.txt"))
    #expect(try place.run("report", "--output", "funnel-store").status == 73)
    #expect(try place.folder.files().filter { !$0.hasPrefix("funnel-store/") } == ["log.ndjson", "out.csv"])
  }

  @Test func `an empty store has an empty report in every format`() throws {
    let empty = try Workplace()
    _ = try empty.ingest("-")
    #expect(
      try empty.report()
        == """
        {
          "query":{"since":null,"until":null,"now":"2026-11-21T12:00:00.000Z","window_ms":null,"order":"ordered","count_by":null,"by":[],"where":[],"mature":false},
          "funnel":[],
          "grants":[],
          "dropoff":[]
        }

        """)
    for format in ["table", "markdown"] {
      let run = try empty.run("report", "--format", format)
      #expect(run.status == 0)
      #expect(
        format == "table" ? run.errors == "" : run.errors.hasPrefix("funnel: nothing matched: there is no event up to 20"))
      #expect(!run.output.isEmpty)
    }
    #expect(try empty.run("report", "grants", "--format", "csv").output.split(separator: "\n").count == 1)
  }

  @Test func `a flow defined after the log was written is reported without ingesting again`() throws {
    _ = try place.ingest("-", input: LogLine.event("opened", "s1") + LogLine.event("closed", "s1", at: 5))
    try place.write(
      #"{"app":"cleaner","flow":"visit","version":1,"title":"Visit","steps":[{"id":"in","label":"In","entered_by":["opened"]},{"id":"out","label":"Out","entered_by":["closed"]}]}"#,
      to: "flows/visit.json")
    #expect(try funnel().count == 1)
    #expect(try funnel("--flow", "cleaner/visit", "--schemas", "flows")[0]["completed"] as? Int == 1)
  }

  @Test func `a dash stands for standard output, and a negative span is named`() throws {
    let expected = try place.run("report", "--now", Workplace.now).output
    #expect(try place.run("report", "--now", Workplace.now, "--output", "-").output == expected)
    #expect(try !place.folder.files().contains("-"))
    let run = try place.run("report", "--since", "-7d")
    #expect(run.status == 64 && run.errors.hasPrefix("funnel: not a time, --since -7d, write it as "), "\(run.errors)")
  }
}
