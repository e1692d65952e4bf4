import Foundation
import FunnelTestSupport
import Testing

/// `funnel retain` drops days that were kept long enough and keeps their aggregates as snapshots. Nothing else changes.
@Suite struct RetainCommandTests {
  private static let day = 86_400
  private let place: Workplace

  /// A store of five days, 2026-11-16 to 2026-11-20, and one dead letter. Each day, twelve subjects of one app (nine on
  /// the second day) complete a flow, and eleven subjects of another app have one event.
  private static let prepared = PreparedWorkplace { place in
    var log = ""
    for offset in 0..<5 {
      let start = (offset - 4) * day
      for subject in 0..<(offset == 1 ? 9 : 12) {
        log += LogLine.completedRun("s\(offset)-\(subject)", at: start + subject * 60)
      }
      let time = 1_795_168_800_000 + start * 1000
      for subject in 0..<11 {
        log +=
          #"{"name":"challenge_issued","ts":\#(time + subject),"subject":"c\#(offset)-\#(subject)","app":"clarity","flow":"prosocial_challenge"}"#
          + "\n"
      }
    }
    try place.write(log, to: "a.ndjson")
    _ = try place.ingest("a.ndjson")
    try place.write("{\n", to: "bad.ndjson")
    _ = try FunnelRun(arguments: ["ingest", "bad.ndjson", "--now", "2026-11-16T12:00:00Z"], directory: place.url)
  }

  init() throws { place = try Self.prepared.copy() }

  private func retain(_ arguments: String..., now: String = Workplace.now) throws -> FunnelRun {
    try FunnelRun(arguments: ["retain", "--now", now] + arguments, directory: place.url)
  }

  private func json(_ text: some StringProtocol) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private func days() throws -> [String] {
    try place.run("log", "ls", "--format", "json").output.split(separator: "\n").map { try json($0)["day"] as? String ?? "" }
  }

  /// Returns the number of groups that entered by day, and the days whose numbers come from a snapshot.
  private func trend(_ arguments: String...) throws -> (entered: [String: Int], fromSnapshots: Set<String>) {
    let run = try FunnelRun(
      arguments: ["report", "trend", "--now", Workplace.now, "--format", "json", "--flow", "cleaner/permissions_flow"]
        + arguments,
      directory: place.url)
    let row = try #require((json(run.output)["trend"] as? [[String: Any]])?.first)
    let buckets = try #require(row["buckets"] as? [[String: Any]])
    let entered = buckets.map { ($0["bucket"] as? String ?? "", $0["entered"] as? Int ?? 0) }
    let days = buckets.filter { $0["source"] as? String == "snapshot" }.map { $0["bucket"] as? String ?? "" }
    return (Dictionary(uniqueKeysWithValues: entered), Set(days))
  }

  @Test func `a trend by day tells dropped days from their snapshots, except rows of few, and no other trend does`() throws {
    let before = try trend("--every", "day")
    #expect(before.entered.values.sorted() == [9, 12, 12, 12, 12] && before.fromSnapshots == [])
    #expect(try retain("--events", "2d", "--snapshots", "90d").status == 0)
    let after = try trend("--every", "day")
    #expect(after.fromSnapshots == ["2026-11-16", "2026-11-18"])
    // The nine groups of the 17th are too few to be kept.
    #expect(after.entered == before.entered.merging(["2026-11-17": 0]) { $1 })
    for other in [["--every", "week"], ["--every", "day", "--by", "ctx.variant"], ["--every", "day", "--mature"]] {
      let run = try FunnelRun(
        arguments: ["report", "trend", "--now", Workplace.now, "--format", "json"] + other, directory: place.url)
      #expect(run.status == 0 && !run.output.contains("snapshot"), "\(other)")
    }
    #expect(try trend("--every", "day", "--since", "2026-11-18").fromSnapshots == ["2026-11-18"])
  }

  @Test func `days that are over long enough go whole, and the others stay byte by byte`() throws {
    let before = try place.storeBytes()
    // At noon of the 21st the 18th ended two and a half days ago, the 19th one and a half.
    let run = try retain("--events", "2d", "--format", "json")
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    let summary = try json(run.output)
    #expect(summary["days"] as? Int == 3 && summary["first_day"] as? String == "2026-11-16")
    #expect(summary["last_day"] as? String == "2026-11-18" && summary["dead_letters"] as? Int == 1)
    #expect(summary["events"] as? Int == 33 * 6 + 33 && summary["events_in_store"] as? Int == 24 * 6 + 22)
    #expect(try days() == ["2026-11-19", "2026-11-20"])
    let after = try place.storeBytes()
    for (name, bytes) in before where name.contains("dt=2026-11-19") || name.contains("dt=2026-11-20") {
      #expect(after[name] == bytes, "\(name)")
    }
    #expect(try place.run("log", "verify").status == 0)
    #expect(try place.run("rejected", "ls").output == "no rejected lines\n")
    let again = try retain("--events", "2d")
    #expect(again.output == "no event was dropped: none is old enough\nnothing to commit; funnel-store holds 166 events\n")
  }

  @Test func `a report about days that stay is as before`() throws {
    let questions = [["report"], ["report", "--by", "day"], ["report", "--order", "any"]]
    func reports() throws -> [String] {
      try questions.map { question in
        try FunnelRun(
          arguments: question + ["--since", "2026-11-19", "--now", Workplace.now, "--format", "json"], directory: place.url
        ).output
      }
    }
    let before = try reports()
    _ = try retain("--events", "2d")
    #expect(try reports() == before && before[0].contains("\"entered\":24"))
    try place.folder.remove("funnel-store/index")
    #expect(try reports() == before)
  }

  @Test func `a subject whose first start was dropped counts from the next one that is kept`() throws {
    try place.write(
      LogLine.completedRun("again", at: -4 * Self.day) + LogLine.completedRun("again"), to: "again.ndjson")
    _ = try place.ingest("again.ndjson")
    let before = try trend("--every", "day")
    #expect(before.entered["2026-11-16"] == 13 && before.entered["2026-11-20"] == 12)
    #expect(try retain("--events", "2d", "--snapshots", "90d").status == 0)
    // The snapshot of the first day keeps its entry.
    let after = try trend("--every", "day")
    #expect(after.entered["2026-11-16"] == 13 && after.fromSnapshots.contains("2026-11-16"))
    #expect(after.entered["2026-11-20"] == 13)
  }

  @Test func `a snapshot is the report of its day, without rows of few`() throws {
    let reports = try ["2026-11-16", "2026-11-17"].map { day in
      try json(
        place.run(
          "report", "--since", day, "--until", day.dropLast(2) + (day.hasSuffix("16") ? "17" : "18"), "--now", Workplace.now,
          "--format", "json"
        ).output)
    }
    _ = try retain("--events", "3d")
    let lines = try place.run("snapshots").output.split(separator: "\n").map { try json($0) }
    #expect(lines.map { $0["day"] as? String } == ["2026-11-16", "2026-11-17"])
    #expect(lines.map { $0["rows_left_out"] as? Int } == [0, 4])
    let kept = try #require(lines[0]["report"] as? [String: Any])
    #expect(NSDictionary(dictionary: kept).isEqual(to: reports[0]))
    // A snapshot leaves out rows of fewer than ten groups. So the second day, with nine, has only rows of the other app.
    for (key, name) in [("funnel", "entered"), ("grants", "prompted"), ("dropoff", "entered")] {
      let rows = try #require((lines[1]["report"] as? [String: Any])?[key] as? [[String: Any]])
      let all = try #require(reports[1][key] as? [[String: Any]])
      #expect(all.count > rows.count && rows.allSatisfy { ($0[name] as? Int ?? 0) >= 10 }, "\(key)")
      #expect(rows.count == (key == "grants" ? 0 : 1), "\(key)")
    }
    #expect(try place.run("snapshots", "--since", "2026-11-17").output.split(separator: "\n").count == 1)
    #expect(try place.run("snapshots", "--until", "2026-11-16").output == "")
  }

  @Test func `a report that reaches back to dropped days says so`() throws {
    _ = try retain("--events", "2d")
    for (since, isTold) in [("2026-11-18", true), ("30d", true), ("2026-11-19", false), ("1d", false)] {
      let run = try place.run("report", "--since", since, "--now", Workplace.now)
      let note =
        "funnel: events up to 2026-11-18 were dropped by 'funnel retain', see the numbers of these days with 'funnel snapshots'\n"
      #expect(run.status == 0 && run.errors == (isTold ? note : ""), "\(since): \(run.errors)")
    }
    #expect(try place.run("report", "--now", Workplace.now).errors == "")
  }

  @Test func `snapshots go in their turn`() throws {
    _ = try retain("--events", "2d", "--snapshots", "4d")
    #expect(try place.run("snapshots").output.split(separator: "\n").count == 2)
    let run = try retain("--events", "2d", "--snapshots", "4d", "--format", "json", now: "2026-11-22T12:00:00Z")
    #expect(try json(run.output)["snapshots_expired"] as? Int == 1 && json(run.output)["snapshots"] as? Int == 1)
    let days = try place.run("snapshots").output.split(separator: "\n").map { try json($0)["day"] as? String }
    #expect(days == ["2026-11-18", "2026-11-19"])
  }

  @Test func `without a span the flows say how long their events stay`() throws {
    let others = try place.run("log", "cat", "--app", "cleaner").output
    // Of the built-in flows, only that of clarity's challenges declares how long its events are kept: thirty days.
    let run = try retain("--format", "json", now: "2026-12-18T12:00:00Z")
    let summary = try json(run.output)
    #expect(
      summary["events"] as? Int == 22 && summary["days"] as? Int == 2 && summary["dead_letters"] as? Int == 0, "\(run.errors)")
    #expect(try place.run("log", "cat", "--app", "cleaner").output == others)
    #expect(try place.run("log", "cat", "--app", "clarity").output.split(separator: "\n").count == 33)
    #expect(try days().count == 5)
    let snapshots = try place.run("snapshots").output
    #expect(snapshots.contains("\"app\":\"clarity\"") && !snapshots.contains("\"app\":\"cleaner\""))
    #expect(try place.run("log", "verify").status == 0)
    #expect(try place.run("snapshots").output.split(separator: "\n").count == 2)
    // The flows also declare how long snapshots are kept.
    _ = try retain(now: "2027-02-16T12:00:00Z")
    #expect(try place.run("snapshots").output.split(separator: "\n").count == 3)
  }

  @Test func `a dry run says what would go and changes nothing`() throws {
    let before = try place.storeBytes()
    for arguments in [["--events", "2d"], ["--events", "1d", "--snapshots", "3d"], []] {
      let now = arguments.isEmpty ? "2026-12-18T12:00:00Z" : Workplace.now
      let planned = try FunnelRun(
        arguments: ["retain", "--dry-run", "--format", "json", "--now", now] + arguments, directory: place.url)
      #expect(try place.storeBytes() == before)
      let copy = try place.copy()
      let done = try FunnelRun(arguments: ["retain", "--format", "json", "--now", now] + arguments, directory: copy.url)
      let (plan, result) = (try json(planned.output), try json(done.output))
      for key in ["days", "events", "dead_letters", "parts", "snapshots", "snapshots_expired", "events_in_store"] {
        #expect(plan[key] as? Int == result[key] as? Int && result[key] is Int, "\(arguments): \(key)")
      }
      #expect(result["events"] as? Int ?? 0 > 0)
    }
  }

  @Test func `spans that make no sense are refused`() throws {
    for (arguments, message) in [
      (["--events", "soon"], "not a number of days, --events soon, write it as 30d or 12w, at least 1d and at most 3650d"),
      (["--events", "23h"], "not a number of days, --events 23h, write it as 30d or 12w, at least 1d and at most 3650d"),
      (["--events", "30h"], "not a number of days, --events 30h, write it as 30d or 12w, at least 1d and at most 3650d"),
      (
        ["--events", "30d", "--snapshots", "30d"],
        "--snapshots 30d is not longer than --events 30d: every snapshot would be dropped at once, give a longer time"
      ),
    ] {
      let run = try FunnelRun(arguments: ["retain"] + arguments, directory: place.url)
      #expect(run.status == 64 && run.errors == "funnel: \(message)\n", "\(run.errors)")
    }
    #expect(try place.run("retain", "--events", "30d", "--store", "nowhere").status == 66)
  }

  private func events(_ arguments: String...) throws -> Int {
    try FunnelRun(arguments: ["log", "cat"] + arguments, directory: place.url).output.split(separator: "\n").count
  }

  @Test func `to the instant what is older goes, to the millisecond, and its day is counted once`() throws {
    // Events before noon of the 19th go. All events of that day are older: they are from 10:00 to 10:12.
    let before = try place.run("log", "cat").output.split(separator: "\n")
    let run = try retain("--events", "2d", "--exact", "--format", "json")
    let summary = try json(run.output)
    #expect(
      summary["events"] as? Int == 33 * 6 + 33 + 72 + 11 && summary["last_day"] as? String == "2026-11-19", "\(run.output)")
    #expect(try place.run("log", "cat").output.split(separator: "\n") == before.suffix(72 + 11))
    #expect(try place.run("log", "verify").status == 0)

    // The first command's limit is amid the events of the 20th, the second's after them. So both drop events of that day.
    let part = try json(retain("--events", "1d", "--exact", "--format", "json", now: "2026-11-21T10:05:00.005Z").output)
    #expect(part["days"] as? Int == 1 && part["snapshots"] as? Int == 2)
    let kept = try events()
    #expect(kept > 0 && kept < 83)
    #expect(try events("--until", "2026-11-20T10:05:00.005Z") == 0)
    let rest = try json(retain("--events", "1d", "--exact", "--format", "json", now: "2026-11-21T20:00:00Z").output)
    #expect(rest["events"] as? Int == kept && rest["snapshots"] as? Int == 0)
    #expect(try events() == 0)

    let lines = try place.run("snapshots", "--since", "2026-11-20").output.split(separator: "\n").map { try json($0) }
    // The first command dropped all events of the challenges, but not all of the cleaner's. It counted all of the cleaner's
    // groups, and the second command counted none of them again.
    let counted = lines.flatMap { line in
      ((line["report"] as? [String: Any])?["funnel"] as? [[String: Any]] ?? []).map { row in
        "\(row["app"] ?? "") \(row["entered"] ?? "") \(line["partial"] as? Bool ?? false)"
      }
    }
    #expect(counted.sorted() == ["clarity 11 false", "cleaner 12 true"], "\(lines)")
  }

  @Test func `by app and name only those events go, whatever they belong to`() throws {
    try place.write(
      ["mood_logged", "mood_changed", "focus_session_started"].map {
        #"{"name":"\#($0)","ts":"2026-11-16T09:00:00Z","subject":"m","app":"clarity"}"# + "\n"
          + #"{"name":"\#($0)","ts":"2026-11-16T09:00:00Z","subject":"m","app":"diary"}"# + "\n"
      }.joined(), to: "moods.ndjson")
    _ = try place.ingest("moods.ndjson")
    let all = try events()
    func gone(_ arguments: String...) throws -> Int? {
      let run = try FunnelRun(
        arguments: ["retain", "--now", Workplace.now, "--events", "2d", "--dry-run", "--format", "json"] + arguments,
        directory: place.url)
      #expect(run.status == 0, "\(run.errors)")
      return try json(run.output)["events"] as? Int
    }
    #expect(try gone("--name", "mood_*") == 4)
    #expect(try gone("--name", "mood_*", "--app", "clarity") == 2)
    #expect(try gone("--name", "mood_logged", "--name", "*_session_*") == 4)
    #expect(try gone("--app", "diary", "--app", "nobody") == 3)
    #expect(try gone("--app", "clarity") == 33 + 3)
    #expect(try gone("--name", "mood") == 0)
    #expect(
      try retain("--events", "2d", "--name", "mood_*", "--app", "clarity").output.hasPrefix(
        "dropped 2 events of 1 day, 2026-11-16\n"))
    #expect(try events() == all - 2)
    #expect(try events("--name", "mood_logged", "--app", "diary") == 1)
    #expect(try place.run("log", "verify").status == 0)
  }

  @Test func `events that a flow names besides its own go with them, claimed or not`() throws {
    try place.write(
      ["mood_logged", "focus_session_started", "connection_logged", "moodiness", "paywall_shown"].map {
        #"{"name":"\#($0)","ts":"2026-11-16T09:00:00Z","subject":"m","app":"clarity"}"# + "\n"
          + #"{"name":"\#($0)","ts":"2026-11-16T09:00:00Z","subject":"m","app":"diary"}"# + "\n"
      }.joined(), to: "moods.ndjson")
    _ = try place.ingest("moods.ndjson")
    _ = try retain(now: "2026-12-18T12:00:00Z")
    let left = try place.run("log", "cat", "--subject", "m").output.split(separator: "\n").map { line in
      let event = try json(line)
      return "\(event["app"] ?? "") \(event["name"] ?? "")"
    }
    let ofDiary = ["mood_logged", "focus_session_started", "connection_logged", "moodiness", "paywall_shown"].map {
      "diary \($0)"
    }
    #expect(left.sorted() == (["clarity moodiness", "clarity paywall_shown"] + ofDiary).sorted())
  }

  @Test func `dead letters go by the app they name, or were ingested with`() throws {
    let line = #"{"name":"opened","ts":0,"subject":"s","app":"clarity"}"#
    let lines = [
      line, line.replacing("clarity", with: "diary"), #"{"app":"clarity", broken"#, #"{"app" : "clarity"#,
      #"{"name":"opened","ts":0,"subject":"s"}"#,
      "broken",
    ]
    try place.write(lines.joined(separator: "\n") + "\n", to: "bad.ndjson")
    try place.write("also broken\n", to: "worse.ndjson")
    for arguments in [["bad.ndjson"], ["worse.ndjson", "--app", "clarity"]] {
      _ = try FunnelRun(arguments: ["ingest"] + arguments + ["--now", "2026-11-17T12:00:00Z"], directory: place.url)
    }
    func letters() throws -> Int { try place.run("rejected", "ls", "--format", "json").output.split(separator: "\n").count }
    #expect(try letters() == 8)
    #expect(
      try json(retain("--events", "2d", "--name", "opened", "--dry-run", "--format", "json").output)["dead_letters"] as? Int
        == 0)
    #expect(
      try json(retain("--events", "2d", "--app", "diary", "--dry-run", "--format", "json").output)["dead_letters"] as? Int == 1)
    // Without `--events`, dead letters of clarity go after the longest span of its flows, thirty days. Those of other apps
    // stay.
    let flows = try json(retain("--format", "json", now: "2026-12-18T12:00:00Z").output)
    #expect(flows["dead_letters"] as? Int == 4)
    #expect(try letters() == 4)
    #expect(
      try json(retain("--events", "30d", "--exact", "--format", "json", now: "2026-12-17T12:00:00.001Z").output)["dead_letters"]
        as? Int == 4)
    #expect(try letters() == 0)
    #expect(try place.run("log", "verify").status == 0)
  }

  @Test func `which events go without when is refused, and so is what can name none`() throws {
    for (arguments, message) in [
      (["--app", "clarity"], "--app says which events to drop, not when, add --events 30d"),
      (["--name", "mood_*"], "--name says which events to drop, not when, add --events 30d"),
      (
        ["--events", "30d", "--app", "Clarity"],
        "not an app, --app Clarity, write lower-case letters, digits and underscores, beginning with a letter"
      ),
      (
        ["--events", "30d", "--name", "Mood?"],
        "not a pattern of event names, --name Mood?, write lower-case letters, digits, underscores, and * for any of them"
      ),
    ] {
      let run = try FunnelRun(arguments: ["retain"] + arguments, directory: place.url)
      #expect(run.status == 64 && run.errors == "funnel: \(message)\n", "\(run.errors)")
    }
  }
}
