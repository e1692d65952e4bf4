import Foundation
import FunnelTestSupport
import Testing

/// `funnel ingest`: its output and its exit codes.
@Suite struct IngestCommandTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private static let mixed =
    LogLine.event("perm_flow_start") + LogLine.event("perm_flow_start") + LogLine.event("perm_fotos_granted", at: 1)
    + "{\n[]\n{\n"

  @Test func `the summary says what was taken, what was not, and what to do about it`() throws {
    try place.write(Self.mixed, to: "log.ndjson")
    let run = try place.run("ingest", "log.ndjson", "--now", Workplace.now)
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(
      run.output == """
        accepted 2 of 6 lines from 1 input, 2026-11-20T10:00:00.000Z to 2026-11-20T10:00:01.000Z
          duplicates  1
          rejected    3: 2 invalid_json, 1 not_an_object
                      see them with: funnel rejected ls
          unclaimed   1: no flow declares these events; they are kept
                      1 × cleaner: perm_fotos_granted, did you mean perm_photos_granted?
        commit 1; funnel-store holds 2 events

        """)
    let again = try place.run("ingest", "log.ndjson", "--now", Workplace.now)
    #expect(
      again.output == """
        accepted 0 of 6 lines from 1 input
          duplicates  3
          rejected    3: 2 invalid_json, 1 not_an_object
                      see them with: funnel rejected ls
        nothing new to commit; funnel-store holds 2 events

        """)
  }

  @Test func `the summary as JSON has the keys of the specification, in their order`() throws {
    let run = try FunnelRun(
      arguments: ["ingest", "-", "--now", Workplace.now, "--format", "json"], directory: place.url, input: Self.mixed)
    #expect(run.status == 0)
    #expect(
      run.output
        == #"{"inputs":1,"lines":6,"accepted":2,"duplicates":1,"rejected":3,"unclaimed":1,"rejected_by_reason":{"invalid_json":2,"not_an_object":1},"#
        + #""first_ts":"2026-11-20T10:00:00.000Z","last_ts":"2026-11-20T10:00:01.000Z","commit":1,"events_in_store":2,"dry_run":false,"formats":{"native":1},"left_out":{},"dropped_by_map":0}"#
        + "\n")
  }

  @Test func `nothing at all is a summary too`() throws {
    let run = try FunnelRun(
      arguments: ["ingest", "-", "--now", Workplace.now, "--format", "json"], directory: place.url, input: "\n\n")
    #expect(
      run.output
        == #"{"inputs":1,"lines":0,"accepted":0,"duplicates":0,"rejected":0,"unclaimed":0,"rejected_by_reason":{},"#
        + #""first_ts":null,"last_ts":null,"commit":null,"events_in_store":0,"dry_run":false,"formats":{"native":1},"left_out":{},"dropped_by_map":0}"#
        + "\n")
  }

  @Test func `a dry run says the same and changes nothing, with a store and without`() throws {
    try place.write(Self.mixed, to: "log.ndjson")
    let first = try place.ingest("log.ndjson", "--dry-run")
    #expect(first["accepted"] as? Int == 2)
    #expect(first["events_in_store"] as? Int == 2)
    #expect(first["commit"] is NSNull)
    #expect(try place.folder.files() == ["log.ndjson"])
    _ = try place.ingest("log.ndjson")
    let before = try place.storeBytes()
    try place.write(LogLine.completedRun("s2"), to: "more.ndjson")
    let second = try place.ingest("log.ndjson", "more.ndjson", "--dry-run")
    #expect(second["accepted"] as? Int == 6)
    #expect(second["duplicates"] as? Int == 3)
    #expect(second["events_in_store"] as? Int == 8)
    #expect(try place.storeBytes() == before)
    let text = try place.run("ingest", "more.ndjson", "--dry-run", "--now", Workplace.now)
    #expect(text.output.hasPrefix("would accept 6 of 6 lines from 1 input"))
    #expect(text.output.hasSuffix("nothing was committed (--dry-run); funnel-store would hold 8 events\n"))
  }

  @Test func `strict commits nothing if a line is bad, from files and from a stream`() throws {
    try place.write(LogLine.event("perm_flow_start") + "{\n", to: "log.ndjson")
    let fromFile = try place.run("ingest", "log.ndjson", "--strict", "--now", Workplace.now)
    #expect(fromFile.status == 65)
    #expect(fromFile.output == "")
    #expect(
      fromFile.errors
        == "funnel: a bad line, log.ndjson line 2: invalid_json, column 2: a key in double quotes is missing here;"
        + " nothing was committed because of --strict\n")
    let fromStream = try FunnelRun(
      arguments: ["ingest", "-", "--strict", "--now", Workplace.now], directory: place.url, input: try place.text("log.ndjson"))
    #expect(fromStream.status == 65)
    #expect(
      fromStream.errors
        == "funnel: 1 bad line of 2, nothing was committed because of --strict, ingest without --strict and list them with 'funnel rejected ls'\n"
    )
    #expect(try place.ingest("-")["events_in_store"] as? Int == 0)
    #expect(try place.run("rejected", "ls").output == "no rejected lines\n")
  }

  @Test func `a crossed threshold of rejects ends with 1, and what was good is committed`() throws {
    try place.write(LogLine.completedRun("s1") + "{\n", to: "log.ndjson")
    for (rate, status) in [("10%", 1), ("0.14", 1), ("15%", 0), ("1", 0)] {
      let copy = try place.copy()
      let run = try copy.run("ingest", "log.ndjson", "--max-reject-rate", rate, "--now", Workplace.now)
      #expect(run.status == status, "\(rate)")
      #expect(run.output.contains("commit 1; funnel-store holds 6 events"))
      let complaint =
        "funnel: too many lines were rejected, 1 of 7, more than --max-reject-rate \(rate), see 'funnel rejected ls'\n"
      #expect(run.errors == (status == 1 ? complaint : ""))
    }
    for rate in ["2", "-1", "x", "101%", "nan"] {
      let run = try place.run("ingest", "log.ndjson", "--max-reject-rate=\(rate)")
      #expect(run.status == 64, "\(rate)")
      #expect(run.errors == "funnel: not a share, --max-reject-rate \(rate), write it as 0.01 or 1%\n")
    }
  }

  @Test func `unclaimed events are listed by number, each with what was probably meant`() throws {
    let lines =
      LogLine.event("perm_flow_strat") + LogLine.event("perm_flow_strat", at: 1) + LogLine.event("zzz", at: 2)
      + LogLine.event("step_viewed", at: 3, #""flow":"permissions_flow","step":"al_set""#)
      + LogLine.event("opened", at: 4, #""flow":"permission_flow""#)
      + #"{"name":"opened","ts":1795168800000,"subject":"s","app":"claener"}"#
    let run = try FunnelRun(arguments: ["ingest", "-", "--now", Workplace.now], directory: place.url, input: lines)
    #expect(
      run.output.contains(
        """
          unclaimed   6: no flow declares these events; they are kept
                      2 × cleaner: perm_flow_strat, did you mean perm_flow_start?
                      1 × claener: opened, did you mean app cleaner?
                      1 × cleaner/permission_flow: opened, did you mean flow permissions_flow?
                      1 × cleaner/permissions_flow: step_viewed (step al_set), did you mean step all_set?
                      1 × cleaner: zzz

        """), "\(run.output)")
  }

  @Test func `an app can be given to events that name none`() throws {
    let line = #"{"name":"perm_flow_start","ts":1795168800000,"subject":"s1"}"#
    #expect(try place.ingest("-", "--app", "cleaner", input: line)["accepted"] as? Int == 1)
    #expect(try place.ingest("-", input: line)["rejected_by_reason"] as? [String: Int] == ["missing_field": 1])
    let wrong = try place.run("ingest", "-", "--app", "My App")
    #expect(wrong.status == 64)
    #expect(
      wrong.errors
        == "funnel: not an app, --app My App, write lower-case letters, digits and underscores, beginning with a letter\n")
  }

  @Test func `the store is where --store says, else $FUNNEL_STORE, else ./funnel-store`() throws {
    let line = LogLine.event("perm_flow_start")
    for (arguments, environment, name) in [
      (["--store", "a"], ["FUNNEL_STORE": "b"], "a"), ([], ["FUNNEL_STORE": "b"], "b"),
      ([], ["FUNNEL_STORE": ""], "funnel-store"),
    ] {
      let run = try FunnelRun(
        arguments: ["ingest", "-", "--now", Workplace.now] + arguments, directory: place.url, environment: environment,
        input: line)
      #expect(run.status == 0)
      #expect(try place.folder.files().contains("\(name)/log/journal.ndjson"))
    }
    let empty = try place.run("ingest", "-", "--store", "")
    #expect(empty.status == 64)
    #expect(empty.errors == "funnel: --store is empty; name a folder, see 'funnel ingest --help'\n")
  }
}
