import Foundation
import Testing

/// Imports as people run them: what is said, what is refused, what is tried again.
@Suite struct ImportCommandTests {
  private static func track(_ event: String, _ subject: String, at second: Int, _ more: String = "") -> String {
    let time = "2026-11-20T10:\(second / 60 + 10):\(second % 60 + 10)Z"
    return
      "{\"type\":\"track\",\"event\":\"\(event)\",\"anonymousId\":\"\(subject)\",\"messageId\":\"\(event)-\(subject)\",\"timestamp\":\"\(time)\"\(more)}\n"
  }

  @Test func `an import says what names became, what was left out, and what the mapping dropped`() throws {
    let place = try Workplace()
    let log =
      Self.track("Flow Started", "a", at: 0, ",\"context\":{\"ip\":\"192.0.2.1\"}") + Self.track("FlowStarted", "b", at: 1)
      + Self.track("Debug", "a", at: 2)
    try place.write(log, to: "export.json")
    try place.write(#"{"app":"cleaner","events":{"debug":null}}"#, to: "map.json")
    let run = try place.run("ingest", "export.json", "--map", "map.json", "--now", Workplace.now)
    #expect(run.status == 0)
    #expect(
      run.output == """
        accepted 2 of 3 lines from 1 input, 2026-11-20T10:10:10.000Z to 2026-11-20T10:10:11.000Z
          unclaimed   2: no flow declares these events; they are kept
                      2 × cleaner: flow_started
          formats     segment 1
          names       2, each with its new name:
                      1 × Flow Started → flow_started
                      1 × FlowStarted → flow_started
                      "Flow Started", "FlowStarted" became one name, flow_started; a mapping can keep them apart
          dropped     1 record, as the mapping says
          left out    personal values, other ids and lists; path and number of records:
                      1 × context.ip
        commit 1; funnel-store holds 2 events

        """)
    #expect(run.errors == "funnel: reading export.json as segment; --from segment says so for good\n")
  }

  @Test func `a dead letter is the foreign record, masked, and is mapped anew when it is tried again`() throws {
    let place = try Workplace()
    let other = Self.track("Japan", "a", at: 0, ",\"context\":{\"ip\":\"192.0.2.1\"}")
      .replacing(/"timestamp":"[^"]*"/, with: #""timestamp":"20.11.2026 10:10 UTC""#)
    let log = other + Self.track("Fine", "b", at: 1)
    try place.write(log, to: "export.json")
    _ = try place.ingest("export.json", "--app", "cleaner")
    let letters = try FunnelRun(shell: "zcat funnel-store/rejected/dt=*/*.gz", directory: place.url).output
    #expect(letters.contains(#""reason":"invalid_field","message":"ts: \"20.11.2026 10:10 UTC\" is not a time"#), "\(letters)")
    #expect(
      letters.contains(#"\"context\":{\"ip\":\"***\"}"#) && letters.contains(#""format":"segment","left_out_masked":true"#))
    let again = try place.run("rejected", "retry", "--now", Workplace.now)
    #expect(again.output == "retried 1 dead letter: 0 accepted, 0 duplicates, 1 still rejected\n", "\(again.errors)")
    try place.write(
      #"{"from":"segment","ts":{"path":"timestamp","format":"dd.MM.yyyy HH:mm z"}}"#, to: "funnel-store/mappings/segment.json")
    let mapped = try place.run("rejected", "retry", "--now", Workplace.now)
    #expect(mapped.output == "retried 1 dead letter: 1 accepted, 0 duplicates, 0 still rejected\n", "\(mapped.errors)")
    #expect(try FunnelRun(shell: "zcat funnel-store/log/dt=*/*.gz | grep -c japan", directory: place.url).output == "1\n")
  }

  @Test func `a record of CSV is tried again with its header`() throws {
    let place = try Workplace()
    try place.write("who,at,what,mail\na,2026-11-20T10:00:00Z,Seen,\nb,2026-11-20 10:00:00,\"Se\nen\",x\n", to: "t.csv")
    try place.write(#"{"from":"csv","app":"cleaner","subject":"who","ts":"at","name":"what"}"#, to: "map.json")
    let summary = try place.ingest("t.csv", "--map", "map.json")
    #expect(summary["accepted"] as? Int == 1 && summary["rejected"] as? Int == 1)
    let letters = try FunnelRun(shell: "zcat funnel-store/rejected/dt=*/*.gz", directory: place.url).output
    #expect(letters.contains(#""line":3"#) && letters.contains(#""raw":"b,2026-11-20 10:00:00,\"Se\nen\",x""#), "\(letters)")
    #expect(letters.contains(#""format":"csv","header":"who,at,what,mail""#))
    let again = try place.run("rejected", "retry", "--map", "map.json", "--source-tz", "UTC", "--now", Workplace.now)
    #expect(again.output == "retried 1 dead letter: 1 accepted, 0 duplicates, 0 still rejected\n", "\(again.errors)")
  }

  @Test func `a record that becomes several events is taken whole or not at all`() throws {
    let place = try Workplace()
    try place.write(
      Self.track("Both", "a", at: 0, ",\"properties\":{\"email\":\"ann@example.com\"}") + Self.track("Both", "b", at: 1),
      to: "e.json")
    try place.write(#"{"app":"cleaner","events":{"Both":[{"name":"one"},{"name":"two"}]}}"#, to: "map.json")
    let summary = try place.ingest("e.json", "--map", "map.json")
    #expect(summary["lines"] as? Int == 2 && summary["accepted"] as? Int == 2 && summary["rejected"] as? Int == 1)
  }

  @Test(arguments: [
    (["--from", "segmnet"], 64, "unknown format, --from segmnet, did you mean segment?"),
    (
      ["--from", "csv"], 64,
      "CSV needs a mapping, --from csv, make one with 'funnel map init FILE > todo.map.json' and give it with --map"
    ),
    (["--map", "none.json"], 66, "none.json: no such file or directory, check the path"),
    (
      ["--source-tz", "Mars/Base"], 64,
      "no such time zone, --source-tz Mars/Base, write it like Europe/Berlin, or give an offset like +02:00"
    ),
  ])
  func `a wrong option is told in one line`(options: [String], status: Int32, message: String) throws {
    let place = try Workplace()
    try place.write(Self.track("A", "a", at: 0), to: "e.json")
    let run = try FunnelRun(arguments: ["report", "e.json"] + options, directory: place.url)
    #expect(run.status == status && run.output == "")
    #expect(run.errors == "funnel: \(message)\n")
  }

  @Test func `a mapping that no record met is told`() throws {
    let place = try Workplace()
    try place.write(Self.track("A", "a", at: 0), to: "e.json")
    try place.write(#"{"from":"rudderstack","events":{"A":null}}"#, to: "map.json")
    try place.write(#"{"from":"segment","events":{"B":null}}"#, to: "other.json")
    let run = try place.run(
      "ingest", "e.json", "--app", "cleaner", "--map", "map.json", "--map", "other.json", "--now", Workplace.now)
    #expect(
      run.errors == """
        funnel: reading e.json as segment; --from segment says so for good
        funnel: the mapping map.json is for rudderstack, but the input was read as segment, so the mapping was not used: fix its "from", or name the format with --from

        """)
  }

  @Test func `of two mappings for one format none is taken`() throws {
    let place = try Workplace()
    try place.write(Self.track("A", "a", at: 0), to: "e.json")
    for name in ["a.json", "b.json"] { try place.write(#"{"from":"segment"}"#, to: name) }
    let run = try place.run("report", "e.json", "--map", "a.json", "--map", "b.json")
    #expect(run.status == 64)
    #expect(run.errors == "funnel: two mappings for segment, --map a.json and b.json, give one of them\n")
  }

  @Test func `a night says how files were read, and which names no flow declares`() throws {
    let place = try Workplace()
    try place.write(Self.track("Opened", "a", at: 0) + Self.track("Perm Flow Start", "b", at: 1), to: "inbox/e.json")
    let run = try place.run(
      "nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--app", "cleaner", "--now", Workplace.now)
    #expect(run.status == 0)
    #expect(
      run.errors == """
        funnel: reading inbox/e.json as segment; --from segment says so for good
        funnel: 1 event of 2 that no flow declares: 1 × cleaner: opened; 'funnel schema check --against' says what may be meant

        """)
    let json = try place.run(
      "ingest", "-", "--app", "cleaner", "--format", "json", "--from", "segment", "--now", Workplace.now,
      input: Self.track("Closed", "a", at: 3))
    #expect(
      json.errors == "funnel: 1 event of 1 that no flow declares, kept all the same:\nfunnel:   1 × cleaner: closed\n",
      "\(json.errors)")
  }

  @Test func `names that became one are told by ingest, report, fold and nightly, whatever the format`() throws {
    let place = try Workplace()
    try place.write(Self.track("Sign Up Tapped", "a", at: 0) + Self.track("sign_up_tapped", "a", at: 1), to: "e.json")
    let told = #""Sign Up Tapped", "sign_up_tapped" became one name, sign_up_tapped; a mapping can keep them apart"#
    let options = ["--app", "cleaner", "--now", Workplace.now]
    for arguments in [
      ["ingest", "e.json", "--format", "json"], ["report", "funnel", "e.json", "--format", "csv"], ["report", "e.json"],
      ["fold", "e.json", "--state", "s.state"],
    ] {
      let run = try FunnelRun(arguments: arguments + options, directory: place.url)
      #expect(run.errors.components(separatedBy: told).count == 2, "\(arguments): \(run.errors)")
    }
    let text = try FunnelRun(arguments: ["ingest", "e.json", "--store", "other"] + options, directory: place.url)
    #expect(text.output.contains(told) && !text.errors.contains(told))
    try place.write(place.text("e.json"), to: "inbox/e.json")
    let night = try FunnelRun(
      arguments: ["nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--store", "third"]
        + options, directory: place.url)
    #expect(night.errors.components(separatedBy: told).count == 2, "\(night.errors)")
  }

  @Test func `options about records need input files`() throws {
    let run = try Workplace().run("report", "--from", "segment")
    #expect(run.status == 64)
    #expect(run.errors == "funnel: --from is only for input files, a store holds funnel's own events, leave it out\n")
  }

  @Test func `where the wrong id was chosen, the others are tried and told`() throws {
    let place = try Workplace()
    let log = (0..<40).map { person in
      ["perm_flow_start", "perm_photos_pre_prompt_shown", "perm_photos_granted"].enumerated().map { number, name in
        Self.track(name, "device\(person)-\(number)", at: number, ",\"context\":{\"device\":{\"id\":\"d\(person)\"}}")
      }.joined()
    }.joined()
    try place.write(log, to: "export.json")
    let note =
      "funnel: 40 of 120 enter cleaner/permissions_flow@1 by the id that was used as the subject; it would be 40 of 40 by context.device.id: choose one with \"subject\" in a mapping (--map)\n"
    let report = try place.run("report", "export.json", "--app", "cleaner", "--now", Workplace.now)
    #expect(report.errors.contains(note), "\(report.errors)")
    #expect(
      report.errors.contains(
        "not counted: 80 of 120 people (66.7 %), who never had start, the first required step of cleaner/permissions_flow@1; "
      ), "\(report.errors)")
    #expect(report.errors.contains("check that all events of a person have the same id"), "\(report.errors)")
    let ingest = try place.run("ingest", "export.json", "--app", "cleaner", "--now", Workplace.now)
    #expect(ingest.errors.contains(note), "\(ingest.errors)")
    try place.write(#"{"subject":"context.device.id"}"#, to: "map.json")
    let mended = try place.run("report", "export.json", "--app", "cleaner", "--map", "map.json", "--now", Workplace.now)
    #expect(!mended.errors.contains("not counted: "), "\(mended.errors)")
  }

  @Test func `a header without a column that the mapping names is told, and no record is guessed`() throws {
    let place = try Workplace()
    try place.write("who,at,what\na,2026-11-20T10:00:00Z,Seen\n", to: "t.csv")
    try place.write(
      #"{"from":"csv","app":"cleaner","subject":["user","who"],"ts":"at","name":"what","props":{"plan":"paid plan"}}"#,
      to: "map.json")
    let run = try place.run("report", "t.csv", "--map", "map.json", "--now", Workplace.now)
    #expect(run.status == 65)
    #expect(
      run.errors.contains(
        "t.csv:2: missing_field, the header has no column \"paid plan\", which the mapping names; fix one of them\n"),
      "\(run.errors)")
  }
}
