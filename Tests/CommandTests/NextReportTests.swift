import Foundation
import FunnelTestSupport
import Testing

/// `funnel report next`: what groups do after an event.
@Suite struct NextReportTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    let log =
      LogLine.completedRun("s1", #""ctx":{"variant":"A"}"#) + LogLine.completedRun("s2", at: 100, #""ctx":{"variant":"B"}"#)
      + LogLine.event("perm_flow_start", "s3", at: 200) + LogLine.event("perm_photos_pre_prompt_shown", "s3", at: 201)
      + LogLine.event("perm_photos_pre_prompt_shown", "s3", at: 202) + LogLine.event("perm_photos_skipped", "s3", at: 203)
      + LogLine.event("perm_flow_start", "s4", at: 300) + LogLine.event("perm_flow_start", "s4", at: 301)
    try place.write(log, to: "log.ndjson")
    _ = try place.ingest("log.ndjson")
  }

  private func next(_ arguments: String...) throws -> FunnelRun {
    try FunnelRun(
      arguments: ["report", "next", "--format", "json", "--now", Workplace.now] + arguments, directory: place.url)
  }

  @Test func `events are a tree, most first, equal neighbours once`() throws {
    let run = try next("--after", "step:start", "--steps", "2")
    #expect(run.status == 0)
    let start = #"{"app":"cleaner","flow":"permissions_flow","version":1,"by":{},"groups":4,"completed":2,"next":["#
    let shown =
      #"{"event":"perm_photos_pre_prompt_shown","count":3,"share":0.75,"completed":2,"next":[{"event":"perm_photos_granted","count":2,"share":0.6666666666666666,"completed":2,"next":[]},{"event":"perm_photos_skipped","count":1,"share":0.3333333333333333,"completed":0,"next":[]}]}"#
    let again =
      #"{"event":"perm_flow_start","count":1,"share":0.25,"completed":0,"next":[{"event":null,"count":1,"share":1,"completed":0,"next":[]}]}"#
    #expect(
      run.output == """
        {
          "query":{"since":null,"until":null,"now":"2026-11-21T12:00:00.000Z","window_ms":null,"order":"ordered","count_by":null,"by":[],"where":[],"mature":false,"after":"step:start","steps":2},
          "next":[
            \(start)\(shown),\(again)]}
          ]
        }

        """)
    #expect(try next("--after", "step:start", "--steps", "2", "log.ndjson").output == run.output)
    let byName = try next("--after", "perm_flow_start", "--steps", "2").output
    #expect(byName.replacing(#""after":"perm_flow_start""#, with: #""after":"step:start""#) == run.output)
  }

  /// Returns the first headline of a page, without markup.
  private func headline(_ arguments: String...) throws -> String {
    let page = try FunnelRun(
      arguments: ["report", "next", "--format", "html", "--now", Workplace.now] + arguments, directory: place.url
    ).output
    let match = try #require(page.firstMatch(of: #/<p class="headline">(.*?)<\/p>/#), "\(page)")
    return String(match.1.replacing(#/<[^>]*>/#, with: ""))
  }

  @Test func `a page has a headline of its own, over all segments`() throws {
    let after =
      "After step:start, 3 of 4 people (75.0 %*) went on to perm_photos_pre_prompt_shown, more than to any other event"
    #expect(try headline("--after", "step:start").hasPrefix(after))
    #expect(try headline("--after", "step:start", "--by", "ctx.variant").hasPrefix(after))
    let ended = try headline("--after", "perm_photos_skipped")
    #expect(ended.hasPrefix("1 person had perm_photos_skipped; 1 (100 %*) had nothing more"), "\(ended)")
    let before = try headline("--before", "perm_photos_pre_prompt_shown", "--goal", "step:start")
    #expect(
      before.hasPrefix(
        "Right before perm_photos_pre_prompt_shown, 3 of 3 people (100 %*) had perm_flow_start; 3 (100 %*) had step:start before"
      ), "\(before)")
  }

  @Test func `an answer, the window, the period and segments`() throws {
    let answered = try next("--after", "perm:contacts:denied", "--by", "ctx.variant", "--steps", "1").output
    let row = { (variant: String) in
      #"{"app":"cleaner","flow":"permissions_flow","version":1,"by":{"ctx.variant":"\#(variant)"},"groups":1,"completed":1,"next":[{"event":"perm_flow_completed","count":1,"share":1,"completed":1,"next":[]}]}"#
    }
    #expect(answered.contains("\n    \(row("A")),\n    \(row("B"))\n"))
    let short = try next("--after", "perm:contacts:denied", "--steps", "1", "--window", "500ms").output
    #expect(short.contains(#""groups":2,"completed":0,"next":[{"event":null,"count":2,"share":1,"completed":0,"next":[]}]"#))
    let late = try next("--after", "perm_flow_start", "--steps", "1", "--since", "2026-11-20T10:05:01Z").output
    #expect(late.contains(#""groups":1,"completed":0,"next":[{"event":null,"count":1,"share":1,"completed":0,"next":[]}]"#))
  }

  @Test func `beyond twelve in one place they are together`() throws {
    let names = (0..<14).map { "choice_" + String(UnicodeScalar(UInt8(97 + $0))) }
    let steps = #"[{"id":"menu"},{"id":"end","entered_by":["done"]}]"#
    let events = names.map { "\"\($0)\":{}" }.joined(separator: ",")
    try place.write(
      #"{"app":"shop","flow":"menu","version":1,"steps":\#(steps),"events":{\#(events)}}"#, to: "schemas/shop.menu.v1.json")
    var log = ""
    for (number, name) in names.enumerated() {
      // The first choice is made twice, the last but one leads to the end.
      for copy in 0..<(number == 0 ? 2 : 1) {
        let common = #""subject":"s\#(number)_\#(copy)","app":"shop""#
        log += #"{"name":"step_viewed","step":"menu","ts":"2026-11-10T10:00:00Z",\#(common)}"# + "\n"
        log += #"{"name":"\#(name)","ts":"2026-11-10T10:00:01Z",\#(common)}"# + "\n"
        if number == 12 { log += #"{"name":"done","ts":"2026-11-10T10:00:02Z",\#(common)}"# + "\n" }
      }
    }
    log += #"{"name":"step_viewed","step":"menu","ts":"2026-11-10T10:00:00Z","subject":"t","app":"shop"}"# + "\n"
    try place.write(log, to: "shop.ndjson")
    let run = try next("--after", "step:menu", "--steps", "2", "--schemas", "schemas", "shop.ndjson")
    #expect(run.errors == "")
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let row = try #require((json?["next"] as? [[String: Any]])?.first)
    let branches = try #require(row["next"] as? [[String: Any]])
    #expect(branches.map { $0["event"] as? String } == names.prefix(12).map(Optional.some) + ["(other)", nil])
    #expect(branches.map { $0["count"] as? Int } == [2] + Array(repeating: 1, count: 11) + [2, 1])
    #expect(branches[12]["completed"] as? Int == 1)
    let others = try #require(branches[12]["next"] as? [[String: Any]])
    #expect(others.map { $0["event"] as? String } == ["done", nil])
  }

  @Test func `every format shows it, CSV with a line a branch`() throws {
    let csv = try FunnelRun(
      arguments: ["report", "next", "--after", "step:start", "--steps", "2", "--format", "csv", "--now", Workplace.now],
      directory: place.url)
    #expect(
      csv.output == """
        app,flow,version,groups,level,path,event,count,share,completed,as_of,since,until
        cleaner,permissions_flow,1,4,1,perm_photos_pre_prompt_shown,perm_photos_pre_prompt_shown,3,0.75,2,2026-11-21T12:00:00.000Z,,
        cleaner,permissions_flow,1,4,2,perm_photos_pre_prompt_shown > perm_photos_granted,perm_photos_granted,2,0.6666666666666666,2,2026-11-21T12:00:00.000Z,,
        cleaner,permissions_flow,1,4,2,perm_photos_pre_prompt_shown > perm_photos_skipped,perm_photos_skipped,1,0.3333333333333333,0,2026-11-21T12:00:00.000Z,,
        cleaner,permissions_flow,1,4,1,perm_flow_start,perm_flow_start,1,0.25,0,2026-11-21T12:00:00.000Z,,
        cleaner,permissions_flow,1,4,2,perm_flow_start,,1,1,0,2026-11-21T12:00:00.000Z,,

        """)
    for format in ["table", "markdown"] {
      let shown = try place.run("report", "next", "--after", "step:start", "--format", format, "--now", Workplace.now).output
      #expect(shown.contains("4 had step:start") && shown.contains("25.0 %"))
      let words = shown.replacing(/\s+/, with: " ")
      #expect(words.contains("2 completed the flow afterwards, all steps in order"), "\(shown)")
      #expect(words.contains("Completed: took the last step of the flow afterwards, all steps in order"), "\(shown)")
      #expect(words.contains("Nothing more: no further event within 7 days after step:start"), "\(shown)")
    }
  }

  @Test(arguments: [
    ([], "next needs --after or --before, no event given, name one as in: funnel report next --after step:welcome"),
    (
      ["--after", "step:"],
      "not an event, --after step:, give an event name, step:ID or perm:PERMISSION:ANSWER (granted, limited, provisional, denied, skipped)"
    ),
    (["--after", "a", "--steps", "0"], "not a number of levels, --steps 0, give next a number from 1 to 20"),
    (["--after", "a", "--steps", "a,b"], "not a number of levels, --steps a,b, give next a number from 1 to 20"),
  ])
  func `every mistake is one line that says what to write instead, 64`(arguments: [String], message: String) throws {
    let run = try FunnelRun(arguments: ["report", "next"] + arguments, directory: place.url)
    #expect((run.status, run.output, run.errors) == (64, "", "funnel: \(message)\n"))
  }

  @Test func `an event that the log does not have is told, with the nearest`() throws {
    #expect(
      try next("--after", "perm_flow_strt").errors.contains(
        "funnel: the log has no event perm_flow_strt, given with --after, did you mean perm_flow_start?\n"))
  }
}
