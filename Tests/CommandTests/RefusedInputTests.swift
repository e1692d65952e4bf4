import Foundation
import FunnelTestSupport
import Testing

/// The messages about rejected lines, and the exit code of a command that accepts no line.
@Suite struct RefusedInputTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private static let bad = "[]\n{\"name\":\"x\"}\n{\n"

  @Test func `an ingest of which every line was refused keeps the dead letters and ends with 65`() throws {
    try place.write(Self.bad, to: "bad.ndjson")
    let run = try place.run("ingest", "bad.ndjson", "--now", Workplace.now)
    #expect(run.status == 65)
    #expect(run.errors == "funnel: every line was rejected, 3 of 3, see them with 'funnel rejected ls'\n")
    #expect(run.output.contains("commit 1; funnel-store holds 0 events"))
    #expect(try place.run("rejected", "show", "--raw").output == Self.bad)
    #expect(
      try place.run("ingest", "bad.ndjson", "--store", "my store").errors.hasSuffix("'funnel rejected ls --store 'my store''\n")
    )
    let again = try place.run("ingest", "bad.ndjson", "--format", "json", "--now", Workplace.now)
    #expect(again.status == 65 && again.output.hasPrefix("{"))
  }

  @Test func `a dry run names the first three lines it would refuse`() throws {
    try place.write(Self.bad + "nonsense\n", to: "bad.ndjson")
    let run = try place.run("ingest", "bad.ndjson", "--dry-run", "--now", Workplace.now)
    #expect(run.status == 65)
    #expect(
      run.errors
        == "funnel: every line was rejected, 4 of 4, fix it: bad.ndjson:1: not_an_object, the line is JSON, but not an object;"
        + " jq -c '.[]' makes a line of each element\n")
    #expect(
      run.output.contains(
        """
                      bad.ndjson:1: not_an_object, the line is JSON, but not an object; jq -c '.[]' makes a line of each element
                      bad.ndjson:2: missing_field, ts is missing: when did it happen?
                      bad.ndjson:3: invalid_json, column 2: a key in double quotes is missing here
        nothing was committed

        """.dropLast()), "\(run.output)")
    #expect(try place.folder.files() == ["bad.ndjson"])
  }

  @Test func `the kinds of refusals are shown, and the most frequent one is what to fix`() throws {
    let lines = ["a,open,XX/18/2025 10:00:00"] + (10..<30).map { "b,open,03/01/2025 10:00:\($0)" }
    try place.write("who,what,when\n" + lines.map { $0 + "\n" }.joined(), to: "t.csv")
    try place.write(
      #"{"from":"csv","app":"x","subject":"who","name":"what","ts":{"path":"when","format":"MM/dd/yyyy HH:mm:ss"}}"#,
      to: "map.json")
    let run = try place.run("ingest", "t.csv", "--map", "map.json", "--dry-run", "--now", Workplace.now)
    #expect(
      run.errors.contains(
        "every line was rejected, 21 of 21, fix it: t.csv:3: invalid_field, ts: \"03/01/2025 10:00:10\" has no time zone;"),
      "\(run.errors)")
    #expect(run.output.contains("t.csv:2: invalid_field") && run.output.contains("t.csv:4: invalid_field"), "\(run.output)")
  }

  @Test func `refusals of one kind are shown with different values`() throws {
    let ids = Array(repeating: "0", count: 5) + Array(repeating: "NA", count: 5) + ["null", "u1"]
    try place.write(
      "user_id,event,time\n" + ids.enumerated().map { "\($1),open,2026-10-01T10:00:\($0 + 10)Z\n" }.joined(), to: "t.csv")
    try place.write(#"{"from":"csv","app":"x","subject":"user_id","name":"event","ts":"time"}"#, to: "map.json")
    let run = try place.run("ingest", "t.csv", "--map", "map.json", "--dry-run", "--now", Workplace.now)
    for (line, id) in [(2, "0"), (7, "NA"), (12, "null")] {
      #expect(run.output.contains("t.csv:\(line): invalid_field, subject: \"\(id)\" is a placeholder"), "\(run.output)")
    }
  }

  @Test func `lines that are duplicates, or of forgotten people, or not there were not refused`() throws {
    let line = LogLine.event("perm_flow_start")
    #expect(try place.run("ingest", "-", "--now", Workplace.now, input: line).status == 0)
    #expect(try place.run("ingest", "-", "--now", Workplace.now, input: line).status == 0)
    #expect(try place.run("ingest", "-", "--now", Workplace.now, input: line + Self.bad).status == 0)
    #expect(try place.run("ingest", "-", "--now", Workplace.now, input: "").status == 0)
    #expect(try place.run("ingest", "-", "--now", Workplace.now, input: "\n \n").status == 0)
    #expect(try place.run("forget", "s1", "--now", Workplace.now).status == 0)
    let forgotten = try place.run("ingest", "-", "--now", Workplace.now, input: line)
    #expect(forgotten.status == 0 && forgotten.output.contains("1 forgotten"), "\(forgotten)")
    #expect(try place.run("report", "-", "--now", Workplace.now, input: "").status == 0)
  }

  @Test func `a threshold that was crossed too does not change how it ends`() throws {
    let run = try place.run("ingest", "-", "--max-reject-rate", "1%", "--now", Workplace.now, input: Self.bad)
    #expect(run.status == 65)
    #expect(run.errors == "funnel: every line was rejected, 3 of 3, see them with 'funnel rejected ls'\n")
  }

  @Test func `a report of files tells the first three refusals with their place, and how to see all`() throws {
    try place.write(LogLine.completedRun("s1") + "{\n", to: "b c.ndjson")
    try place.write(Self.bad, to: "a.ndjson")
    let run = try place.run("report", "funnel", "b c.ndjson", "a.ndjson", "--format", "csv", "--now", Workplace.now)
    #expect(run.status == 0)
    #expect(
      run.errors == """
        funnel: 4 of 10 lines were rejected: 2 invalid_json, 1 missing_field, 1 not_an_object
        funnel:   b c.ndjson:7: invalid_json, column 2: a key in double quotes is missing here
        funnel:   a.ndjson:1: not_an_object, the line is JSON, but not an object; jq -c '.[]' makes a line of each element
        funnel:   a.ndjson:2: missing_field, ts is missing: when did it happen?
        funnel:   see all with: funnel ingest 'b c.ndjson' a.ndjson --store DIR, then funnel rejected show --store DIR

        """, "\(run.errors)")
  }

  @Test func `the first refusals are those of the first lines, however many threads read`() throws {
    var lines = (0..<12_000).map { LogLine.event("perm_flow_start", "s\($0)", at: $0) }
    for bad in [9_001, 9_500, 11_000, 11_998] { lines[bad - 1] = "{\n" }
    lines[4_000] = "\n\r\n" + lines[4_000]
    try place.write(lines.joined(), to: "a.ndjson")
    try place.write("{\n" + LogLine.event("perm_flow_start"), to: "b.ndjson")
    let named = ["1", "2", "5"].map { threads in
      (try? place.run("report", "a.ndjson", "b.ndjson", "--threads", threads, "--now", "2026-11-22").errors)
        .map { $0.split(separator: "\n").dropFirst().prefix(3).map { $0.prefix { $0 != "," } } }
    }
    let expected = [9_003, 9_502, 11_002].map { "funnel:   a.ndjson:\($0): invalid_json" }
    for found in named { #expect(found?.map(String.init) == expected) }
    let ofStream = try place.run("report", "-", "--now", "2026-11-22", input: lines.joined()).errors
    #expect(ofStream.contains("funnel:   standard input:9003: invalid_json, "), "\(ofStream)")
    #expect(ofStream.contains("see all with: funnel ingest - --store DIR"))
  }

  @Test func `a report of files of which every line was refused is printed, and ends with 65`() throws {
    try place.write(Self.bad, to: "bad.ndjson")
    let run = try place.run("report", "funnel", "bad.ndjson", "--format", "json", "--now", Workplace.now)
    #expect(run.status == 65)
    #expect(run.output.contains("\"funnel\":[]"))
    #expect(run.errors.hasSuffix("\nfunnel: every line was rejected, 3 of 3, fix the problems above\n"), "\(run.errors)")
  }

  @Test func `a night of refused lines alone ends with 65`() throws {
    let fixture = try NightlyFixture()
    try fixture.upload(Self.bad, as: "bad.ndjson")
    let run = try fixture.night()
    #expect(run.status == 65)
    #expect(try fixture.inbox() == ["failed/bad.ndjson"])
    #expect(run.errors.contains("no valid event in the file, inbox/bad.ndjson, 3 of 3 lines were rejected"), "\(run.errors)")
    #expect(run.errors.contains(", fix it and move it back to the inbox; it was moved to failed/"), "\(run.errors)")
  }
}
