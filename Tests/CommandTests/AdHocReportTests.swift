import Foundation
import FunnelTestSupport
import Testing

/// `funnel report --steps`: a funnel of events that no definition names, and `--exclude`.
@Suite struct AdHocReportTests {
  private let place: Workplace

  /// Three subjects of an app without definitions. The second one closes the app on its way.
  private static let log = """
    {"name":"app_opened","ts":"2026-11-10T10:00:00Z","subject":"s1","app":"notes","ctx":{"variant":"A"}}
    {"name":"step_viewed","step":"welcome","ts":"2026-11-10T10:00:01Z","subject":"s1","app":"notes","flow":"intro"}
    {"name":"perm_photos_dialog_dismissed","ts":"2026-11-10T10:00:03Z","subject":"s1","app":"notes","flow_version":4}
    {"name":"app_opened","ts":"2026-11-10T10:00:00Z","subject":"s2","app":"notes","flow":"adhoc","flow_version":2}
    {"name":"step_viewed","step":"welcome","ts":"2026-11-10T10:00:01Z","subject":"s2","app":"notes","flow":"other"}
    {"name":"app_closed","ts":"2026-11-10T10:00:02Z","subject":"s2","app":"notes"}
    {"name":"perm_photos_denied","ts":"2026-11-10T10:00:05Z","subject":"s2","app":"notes"}
    {"name":"app_opened","ts":"2026-11-10T10:00:00Z","subject":"s3","app":"notes"}

    """
  private static let steps = ["--steps", "app_opened,step:welcome,perm:photos:denied", "--now", Workplace.now]

  init() throws {
    place = try Workplace()
    try place.write(Self.log, to: "log.ndjson")
    _ = try place.ingest("log.ndjson")
  }

  private func run(_ arguments: [String], input: String = "") throws -> FunnelRun {
    try FunnelRun(arguments: ["report"] + arguments, directory: place.url, input: input)
  }

  @Test func `a funnel of any events, whatever flow and version they name`() throws {
    let run = try run(["funnel", "--format", "json"] + Self.steps)
    #expect(run.errors == "")
    #expect(
      run.output == """
        {
          "query":{"since":null,"until":null,"now":"2026-11-21T12:00:00.000Z","window_ms":null,"order":"ordered","count_by":null,"by":[],"where":[],"mature":false,"steps":["app_opened","step:welcome","perm:photos:denied"]},
          "funnel":[
            {"app":"notes","flow":"adhoc","version":1,"window_ms":604800000,"by":{},"entered":3,"completed":2,"in_progress":0,"dropped":1,"returned":null,"finished_out_of_order":0,"conversion":0.6666666666666666,"conversion_ci95":[0.20765960080204765,0.9385080552796037],"closed":{"entered":3,"completed":2,"conversion":0.6666666666666666,"conversion_ci95":[0.20765960080204765,0.9385080552796037]},"steps":[
              {"id":"app_opened","label":"app_opened","optional":false,"reached":3,"from_previous":1,"from_start":1,"dropped":1,"in_progress":0,"time_from_previous_ms":null},
              {"id":"step:welcome","label":"step:welcome","optional":false,"reached":2,"from_previous":0.6666666666666666,"from_start":0.6666666666666666,"dropped":0,"in_progress":0,"time_from_previous_ms":{"p50":1000,"p90":1000,"p99":1000}},
              {"id":"perm:photos:denied","label":"perm:photos:denied","optional":false,"reached":2,"from_previous":1,"from_start":0.6666666666666666,"dropped":0,"in_progress":0,"time_from_previous_ms":{"p50":2000,"p90":4000,"p99":4000}}
            ]}
          ]
        }

        """)
  }

  @Test(arguments: ["funnel", "dropoff", "times", "trend", "steps"])
  func `it is the same bytes from the store, its log, the file and a pipe`(report: String) throws {
    let arguments = [report, "--format", "json", "--by", "ctx.variant"] + Self.steps
    let stored = try run(arguments).output
    #expect(stored.contains(#""app":"notes","flow":"adhoc","version":1,"#))
    #expect(try run(arguments + ["--app", "notes"]).output == stored)
    #expect(try run(arguments + ["log.ndjson"]).output == stored)
    #expect(try run(arguments + ["--app", "notes", "log.ndjson"]).output == stored)
    #expect(try run(arguments + ["-"], input: Self.log).output == stored)
    try FileManager.default.removeItem(atPath: place.folder.path("funnel-store/index"))
    #expect(try run(arguments).output == stored)
  }

  @Test func `what enters a step is what the app's definitions say, read by an upcast too`() throws {
    let definition = #"""
      {"app":"notes","flow":"intro","version":1,"steps":[{"id":"start","entered_by":[{"event":"shown","where":{"props.page":"one"}}]},{"id":"welcome"}],
       "upcasts":[{"from":"old_step","to":{"name":"step_viewed","step":{"$map":"props.screen","values":{"hello":"welcome"},"else":"keep"}}}]}
      """#
    try place.write(definition, to: "schemas/notes.intro.v1.json")
    let log =
      ["hello", "welcome", "bye"].enumerated().map { number, screen in
        #"{"name":"shown","ts":"2026-11-10T10:00:00Z","subject":"s\#(number)","app":"notes","props":{"page":"one"}}"# + "\n"
          + #"{"name":"old_step","ts":"2026-11-10T10:00:01Z","subject":"s\#(number)","app":"notes","props":{"screen":"\#(screen)"}}"#
          + "\n"
      }.joined() + #"{"name":"shown","ts":"2026-11-10T10:00:00Z","subject":"s9","app":"notes","props":{"page":"two"}}"#
    let run = try run(
      ["funnel", "-", "--steps", "step:start,step:welcome", "--schemas", "schemas", "--format", "csv", "--now", Workplace.now],
      input: log)
    let rows = csvRows(run.output)
    let column = try #require(rows[0].firstIndex(of: "reached"))
    #expect(rows.dropFirst().map { $0[column] } == ["3", "2"], "\(run.output)\(run.errors)")
  }

  @Test func `a log of several apps needs to be told which, 64`() throws {
    let other = Self.log + #"{"name":"app_opened","ts":"2026-11-10T10:00:00Z","subject":"t1","app":"todo"}"# + "\n"
    let message = "funnel: there are events of several apps, notes, todo, say with --app which one --steps is about\n"
    try place.write(other, to: "two.ndjson")
    for source in [["two.ndjson"], ["-"], ["--store", "two"]] {
      if source.count == 2 { _ = try place.ingest("two.ndjson", "--store", "two") }
      let refused = try run(["funnel"] + Self.steps + source, input: other)
      #expect((refused.status, refused.output, refused.errors) == (64, "", message))
      let told = try run(["funnel", "--app", "todo", "--format", "csv"] + Self.steps + source, input: other)
      #expect(told.status == 0)
      #expect(told.output.contains("todo,adhoc,1") && !told.output.contains("notes"))
    }
  }

  @Test func `excluded groups are neither completed, dropped nor in progress`() throws {
    let json = try run(["funnel", "--format", "json", "--exclude", "app_closed"] + Self.steps)
    #expect(json.errors == "")
    let counts = #""in_progress":0,"dropped":1,"returned":null,"finished_out_of_order":0,"excluded":1,"conversion":"#
    #expect(json.output.contains(#""entered":3,"completed":1,"# + counts))
    #expect(json.output.contains(#""mature":false,"exclude":["app_closed"],"steps":["#))
    let dropoff = try run(["dropoff", "--format", "json", "--exclude", "app_closed"] + Self.steps)
    #expect(dropoff.output.contains(#""entered":3,"dropped":1,"in_progress":0,"excluded":1,"steps":["#))
    for report in ["funnel", "dropoff"] {
      for format in ["table", "markdown"] {
        let shown = try run([report, "--format", format, "--exclude", "app_closed"] + Self.steps).output
        #expect(shown.lowercased().contains("excluded"), "\(shown)")
        let plain = try run([report, "--format", format] + Self.steps).output
        #expect(!plain.lowercased().contains("excluded"), "\(plain)")
      }
    }
  }

  @Test func `an exclusion holds for flows that are defined, too`() throws {
    let log =
      LogLine.completedRun("s1") + LogLine.completedRun("s2", at: 100)
      + LogLine.event("perm_contacts_denied", "s3", at: 200) + LogLine.event("perm_flow_start", "s3", at: 201)
    try place.write(log, to: "cleaner.ndjson")
    func row(_ arguments: String...) throws -> String {
      let run = try run(["funnel", "cleaner.ndjson", "--format", "json", "--now", Workplace.now] + arguments)
      #expect(run.status == 0 && run.errors == "", "\(run.errors)")
      return run.output
    }
    #expect(
      try row("--exclude", "perm_photos_granted").contains(
        #""entered":3,"completed":0,"in_progress":1,"dropped":0,"returned":null,"finished_out_of_order":0,"excluded":2,"#))
    // The event of the third subject comes before its first step.
    #expect(try row("--exclude", "perm_contacts_denied").contains(#""excluded":2,"#))
    #expect(try row("--exclude", "perm_contacts_denied", "--exclude", "perm_contacts_denied").contains(#""excluded":2,"#))
  }

  @Test(arguments: [
    (
      ["--steps", "Open"],
      "not an event, --steps Open, did you mean open?"
    ),
    (
      ["--steps", "a,,b"],
      "not an event, --steps , give an event name, step:ID or perm:PERMISSION:ANSWER (granted, limited, provisional, denied, skipped)"
    ),
    (
      ["--steps", "a,perm:photos:maybe"],
      "not an event, --steps perm:photos:maybe, give an event name, step:ID or perm:PERMISSION:ANSWER (granted, limited, provisional, denied, skipped)"
    ),
    (["--steps", "a, b,a"], "a step given twice, --steps a, each step of a funnel must be different, leave one out"),
    (
      ["--steps", "a", "--flow", "notes/intro"],
      "both --steps and --flow notes/intro, give one of them; --app names the app of the steps"
    ),
    (
      ["--steps", "a", "--app", "No"],
      "not an app, --app No, write lower-case letters, digits and underscores, beginning with a letter"
    ),
    (
      ["--exclude", "step:a"],
      "not an event, --exclude step:a, write lower-case letters, digits and underscores, beginning with a letter"
    ),
    (
      ["--steps", "a,b"] + (0..<9).flatMap { ["--exclude", "x\($0)"] },
      "9 exclusions of --steps, at most 8 are allowed, leave out an --exclude"
    ),
    (["--after", "a"], "--after is only for next, --after a, write: funnel report next --after a"),
  ])
  func `every mistake is one line that says what to write instead, 64`(arguments: [String], message: String) throws {
    let run = try run(["funnel"] + arguments)
    #expect((run.status, run.output, run.errors) == (64, "", "funnel: \(message)\n"))
  }

  @Test func `an event that the log does not have is told, with the nearest`() throws {
    let arguments = [
      "funnel", "--now", Workplace.now, "--steps", "app_opend,step:welcom,perm:photo:denied,zzzzzzzz", "--exclude", "app_close",
    ]
    let message = """
      funnel: the log has no event app_opend, given with --steps, did you mean app_opened?
      funnel: the log has no event step:welcom, given with --steps, did you mean step:welcome?
      funnel: the log has no event perm:photo:denied, given with --steps, did you mean perm:photos:denied?
      funnel: the log has no event zzzzzzzz, given with --steps, check the spelling
      funnel: the log has no event app_close, given with --exclude, did you mean app_closed?

      """
    #expect(try run(arguments).errors == message)
    #expect(try run(arguments + ["log.ndjson"]).errors == message)
    #expect(try run(arguments + ["-"], input: Self.log).errors == message)
  }
}
