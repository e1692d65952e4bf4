import Foundation
import FunnelTestSupport
import Testing

/// Alarms, metrics, status, and whoever is told.
@Suite struct NightlyMessageTests {
  private let place: NightlyFixture

  init() throws {
    place = try NightlyFixture()
    // Of ten who began on each day, those of an odd number went on to the end.
    try place.upload(Self.lines(ofDays: 1...14) + "broken\n", as: "a.ndjson")
  }

  private static func lines(ofDays days: ClosedRange<Int>) -> String {
    days.flatMap { day in
      (0..<10).flatMap { number in
        (number % 2 == 1
          ? [
            "perm_flow_start", "perm_photos_pre_prompt_shown", "perm_photos_granted",
            "perm_contacts_pre_prompt_shown", "perm_contacts_denied", "perm_flow_completed",
          ] : ["perm_flow_start"])
          .enumerated().map { minute, name in
            let time = "2026-11-\(day < 10 ? "0" : "")\(day)T10:0\(minute):00Z"
            return "{\"name\":\"\(name)\",\"ts\":\"\(time)\",\"subject\":\"u\(day).\(number)\",\"app\":\"cleaner\"}\n"
          }
      }
    }.joined()
  }

  private func rules(_ text: String) throws { try place.folder.write(Array(text.utf8), to: "rules.json") }

  private func json(_ name: String) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(try place.folder.contents(name)))
    return try #require(object as? [String: Any])
  }

  /// Runs the night after 2026-11-20: the last seven closed days are the 7th to the 13th.
  private func night(_ more: String...) throws -> FunnelRun {
    try FunnelRun(
      arguments: [
        "nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--store", "store", "--now", "2026-11-21T02:10:00Z",
      ] + more, directory: URL(filePath: place.folder.path))
  }

  @Test func `a bound that is crossed is one sentence, exit 1, and told to who is to be notified`() throws {
    try rules(
      #"{"rules":[{"flow":"cleaner/permissions_flow","metric":"conversion","min":0.6},{"flow":"cleaner/permissions_flow@1","metric":"grant_rate:photos","max":0.99},{"flow":"cleaner/permissions_flow","metric":"grant_rate:contacts","min":0}]}"#
    )
    let run = try night("--alerts", "rules.json", "--notify", "cat >told.json")
    #expect(run.status == 1)
    #expect(
      run.errors.hasSuffix(
        """
        funnel: cleaner/permissions_flow@1: Conversion is 50.0 % (95 % interval 38.6 to 61.4), below the minimum of 60.0 %, for 70 people in the 7 closed days from 2026-11-07 to 2026-11-13
        funnel: cleaner/permissions_flow@1: Grant rate: photos is 100 % (95 % interval 90.1 to 100.0), above the maximum of 99.0 %, for 35 people in the 7 closed days from 2026-11-07 to 2026-11-13

        """))
    let told = try json("told.json")
    #expect(told["as_of"] as? String == "2026-11-21T02:10:00.000Z" && told["store"] as? String == "store")
    let messages = try #require(told["messages"] as? [[String: Any]])
    #expect(messages.map { $0["kind"] as? String } == ["alert", "alert"])
    #expect(messages.first?["rule"] as? String == "cleaner/permissions_flow@1 conversion")
    #expect(run.errors.contains(messages.first?["text"] as? String ?? "-"))
  }

  @Test func `an alarm stands first on the night's pages and in the status, in the words of standard error`() throws {
    try rules(#"{"rules":[{"flow":"cleaner/permissions_flow","metric":"conversion","min":0.6}]}"#)
    let run = try night("--alerts", "rules.json", "--max-reject-rate", "0")
    let told = run.errors.split(separator: "\n").map { $0.dropFirst("funnel: ".count) }
    let alarms = try #require(try json("out/status.json")["alarms"] as? [String])
    #expect(alarms.count == 2 && told.suffix(2).map(String.init) == alarms, "\(run.errors)")
    for page in ["index.html", "2026-11-20/yesterday.html", "2026-11-20/30d.html", "latest/7d.html"] {
      let text = String(decoding: try place.folder.contents("out/\(page)"), as: UTF8.self)
      let body = try #require(text.components(separatedBy: "</h1>\n").last)
      #expect(body.hasPrefix("<section class=\"warning\" role=\"alert\">\n<p><strong>Alarms</strong></p>\n"), "\(page)")
      for alarm in alarms { #expect(text.contains("<li>\(alarm.replacing("'", with: "&#39;"))</li>"), "\(page): \(alarm)") }
      #expect(!text.contains("No clear change"))
    }
    // Without an alarm, none is shown.
    #expect(try night().status == 0)
    let quiet = String(decoding: try place.folder.contents("out/index.html"), as: UTF8.self)
    // The log has nobody on the last day.
    #expect(quiet.contains("Is the log complete?") && !quiet.contains("Alarm") && !quiet.contains("No clear change"))
    #expect((try json("out/status.json")["alarms"] as? [String]) == [])
  }

  @Test func `a day on which nobody entered is never called unchanged`() throws {
    try place.folder.write(Array(Self.lines(ofDays: 13...19).utf8), to: "inbox/week.ndjson")
    #expect(try night().status == 0)
    let index = String(decoding: try place.folder.contents("out/index.html"), as: UTF8.self)
    #expect(index.contains("Nobody entered cleaner/permissions_flow v1 on 2026-11-20; on the days before "), "\(index)")
    #expect(index.contains("Is the log complete?") && !index.contains("No clear change"))
  }

  @Test func `pages speak of people, not of groups`() throws {
    #expect(try night().status == 0)
    for page in try place.folder.files() where page.hasSuffix(".html") {
      let text = String(decoding: try place.folder.contents(page), as: UTF8.self)
      #expect(!text.localizedCaseInsensitiveContains("groups"), "\(page)")
    }
  }

  @Test func `a night without messages notifies nobody, and a failing command is only told`() throws {
    #expect(try night("--notify", "touch told").status == 0)
    #expect(try !place.folder.files().contains("told"))
    let failing = try night("--min-events", "5", "--notify", "echo '$(no)' >&2; exit 3")
    #expect(failing.status == 1)
    #expect(
      failing.errors.split(separator: "\n").last?.hasPrefix(
        "funnel: nobody was notified, --notify echo '$(no)' >&2; exit 3, it exited with 3, it said: $(no), try: ") == true)
    #expect(failing.output.hasSuffix(" in out/2026-11-20; failed: notify\n"))
    let stages = try #require(try json("out/status.json")["stages"] as? [[String: Any]])
    #expect(stages.last?["stage"] as? String == "notify" && stages.last?["outcome"] as? String == "failed")
  }

  @Test(arguments: [
    (
      #"{"rules":[{"flow":"cleaner/permission_flow","metric":"conversion","min":0.6}]}"#,
      "no such flow, cleaner/permission_flow, did you mean cleaner/permissions_flow?"
    ),
    (
      #"{"rules":[{"flow":"cleaner/permissions_flow","metric":"conversions","min":0.6}]}"#,
      "cleaner/permissions_flow has no number \"conversions\", did you mean conversion?"
    ),
    (
      #"{"rules":[{"flow":"cleaner/permissions_flow","metric":"conversion"}]}"#,
      "the rule can't raise an alarm, give min, max or change"
    ),
    (
      #"{"rules":[{"flow":"cleaner/permissions_flow","metric":"conversion","min":2}]}"#, "a number from 0 to 1 is needed, not 2"
    ),
    (#"{"rules":"#, "not JSON: "), (#"{"alphas":1,"rules":[]}"#, "unknown key \"alphas\", did you mean \"alpha\"?"),
  ])
  func `wrong rules end with 78, and all else is done`(text: String, message: String) throws {
    try rules(text)
    let run = try night("--alerts", "rules.json")
    #expect(run.status == 78 && run.errors.contains(message) && run.errors.contains("rules.json"), "\(run.errors)")
    #expect(run.output.contains("1 file done"))
    #expect(run.output.hasSuffix("; failed: alerts\n"))
    #expect(try night("--alerts", "none.json").status == 78)
  }

  @Test func `the metrics are in Prometheus's format, and a failed run leaves the last success alone`() throws {
    #expect(try night("--metrics", "x.prom").status == 0)
    let text = String(decoding: try place.folder.contents("x.prom"), as: UTF8.self)
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      #expect(line.wholeMatch(of: /funnel_[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+/) != nil, "\(line)")
    }
    for line in [
      #"funnel_entered_groups{app="cleaner",flow="permissions_flow",version="1"} 70"#,
      #"funnel_conversion_ratio{app="cleaner",flow="permissions_flow",version="1"} 0.5"#,
      #"funnel_step_reached_ratio{app="cleaner",flow="permissions_flow",version="1",step="photos"} 0.5"#,
      #"funnel_grant_ratio{app="cleaner",flow="permissions_flow",version="1",permission="contacts"} 0"#,
      #"funnel_ingested_lines{result="accepted"} 490"#, #"funnel_ingested_lines{result="rejected"} 1"#,
      #"funnel_rejected_lines{reason="invalid_json"} 1"#, "funnel_events 490",
    ] {
      #expect(text.split(separator: "\n").contains(Substring(line)), "\(line)\n\(text)")
    }
    func value(_ name: String) throws -> Double? {
      let text = String(decoding: try place.folder.contents("x.prom"), as: UTF8.self)
      return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }.flatMap { Double($0.dropFirst(name.count + 1)) }
    }
    let success = try #require(try value("funnel_last_success_timestamp_seconds"))
    let last = try json("out/status.json")["last_success"] as? String
    #expect(try night("--metrics", "x.prom", "--alerts", "none.json").status == 78)
    #expect(try value("funnel_last_success_timestamp_seconds") == success)
    #expect(try #require(try value("funnel_last_run_timestamp_seconds")) > success)
    let status = try json("out/status.json")
    #expect(status["last_success"] as? String == last)
    #expect((status["problems"] as? [String])?.count == 1)
  }

  @Test func `a command that hangs is ended after half a minute with all it began, and nothing waits for it`() throws {
    let command =
      "sleep 600 & echo $! >child; cp out/status.json x.prom out/latest/7d.json . ; sleep 600"
    let start = ContinuousClock.now
    let run = try night("--min-events", "5000", "--metrics", "x.prom", "--notify", command)
    let seconds = (ContinuousClock.now - start).components.seconds
    #expect(run.status == 1 && 30..<60 ~= seconds, "\(seconds) s")
    #expect(run.errors.contains("it took longer than 30 s and was killed"), "\(run.errors)")
    // What the command found: the status of all stages before it, and their files.
    let stages = try #require(try json("status.json")["stages"] as? [[String: Any]])
    #expect(stages.map { $0["stage"] as? String } == ["ingest", "compact", "report", "page", "metrics"])
    #expect(try !place.folder.contents("7d.json").isEmpty)
    let last = try #require(try json("out/status.json")["stages"] as? [[String: Any]])
    #expect(last.last?["stage"] as? String == "notify" && last.last?["outcome"] as? String == "failed")
    #expect(try json("out/status.json")["last_success"] as? String == json("status.json")["last_success"] as? String)
    let child = try #require(
      pid_t(String(decoding: place.folder.contents("child"), as: UTF8.self).trimmingCharacters(in: .newlines)))
    #expect(kill(child, 0) == -1 || Self.isZombie(child), "process \(child) is there still")
  }

  /// Whether a process has ended, and waits only to be collected by whoever adopted it.
  private static func isZombie(_ process: pid_t) -> Bool {
    let status = try? FunnelRun(shell: "ps -o stat= -p \(process)").output
    return status?.hasPrefix("Z") ?? true
  }

  @Test func `a second night beside one that runs leaves`() throws {
    let first = try FunnelProcess([
      "nightly", "--settle", "0", "--inbox", place.folder.path("inbox"), "--out", place.folder.path("out"), "--store",
      place.folder.path("store"),
      "--now", "2026-11-21T02:10:00Z", "--min-events", "100000", "--notify",
      "touch \(place.folder.path("begun")); until test -e \(place.folder.path("go")); do sleep 0.01; done",
    ])
    while try !place.folder.files().contains("begun") { usleep(10_000) }
    let second = try night()
    try place.folder.write([], to: "go")
    #expect(first.wait() == 1)
    #expect(second.status == 75 && second.output == "")
    #expect(second.errors.hasPrefix("funnel: another funnel nightly is running, out, "), "\(second.errors)")
  }

  @Test func `a dry run says what it would do, and does nothing`() throws {
    try rules(#"{"rules":[{"flow":"cleaner/permissions_flow","metric":"conversion","min":0.6}]}"#)
    let before = try place.folder.files()
    let run = try night(
      "--dry-run", "--alerts", "rules.json", "--metrics", "x.prom", "--notify", "touch told", "--retain")
    #expect(run.status == 0 && run.errors == "")
    #expect(
      run.output == """
        nightly 2026-11-21T02:10:00.000Z would:
          ingest     ingest 1 file, 46 KB
          report     write the reports up to 2026-11-20 to out/2026-11-20 and latest
          page       write their pages, and out/index.html
          alerts     check 1 rule from rules.json
          compact    nothing, as the store store does not exist yet
          retention  nothing, as the store does not exist yet
          metrics    write x.prom
          notify     run touch told, if there is something to report
        nothing was changed (--dry-run)

        """)
    #expect(try place.folder.files() == before)
    // What would keep a night from being done is told, too.
    try rules(#"{"rules":[{"flow":"cleaner/nowhere","metric":"conversion","min":0.6}]}"#)
    #expect(try night("--dry-run", "--alerts", "rules.json").status == 78)
  }

  @Test func `the status has its keys, and each stage its time and outcome`() throws {
    #expect(try night("--metrics", "x.prom", "--retain").status == 0)
    let status = try json("out/status.json")
    #expect(Set(status.keys) == ["last_run", "last_success", "as_of", "alarms", "problems", "stages"])
    #expect(
      (status["problems"] as? [Any])?.isEmpty == true && status["last_run"] as? String == status["last_success"] as? String)
    let stages = try #require(status["stages"] as? [[String: Any]])
    #expect(
      stages.map { $0["stage"] as? String } == ["ingest", "compact", "report", "page", "retention", "metrics"])
    for stage in stages {
      #expect(stage["outcome"] as? String == "done" && stage["seconds"] is Double && stage["reason"] is NSNull, "\(stage)")
    }
  }

  @Test func `every option of the command is in the documentation`() throws {
    let help = try FunnelRun("nightly", "--help").output
    let options = help.matches(of: /\n  (--[a-z-]+)/).map(\.output.1)
    #expect(options.count > 20)
    let page = try String(contentsOf: DeployFile.repository.appending(path: "Documentation/NIGHTLY.md"), encoding: .utf8)
    for option in options { #expect(page.contains("`\(option)"), "\(option)") }
  }

  @Test func `a week without a night is caught up by one run`() throws {
    try place.upload(Self.lines(ofDays: 1...9), as: "a.ndjson")
    let first = try FunnelRun(
      arguments: [
        "nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--store", "store", "--now", "2026-11-10T03:00:00Z",
      ],
      directory: URL(filePath: place.folder.path))
    #expect(first.status == 0)
    try place.upload(Self.lines(ofDays: 10...14), as: "b.ndjson")
    #expect(try night().status == 0)
    for day in 10...20 { #expect(try place.entered("2026-11-\(day)/7d.json") == (day <= 14 ? 70 : 10 * (21 - day)), "\(day)") }
    #expect(try place.entered("2026-11-12/yesterday.json") == 10)
    let index = String(decoding: try place.folder.contents("out/index.html"), as: UTF8.self)
    #expect(index.contains("2026-11-12/7d.html"))
  }
}
