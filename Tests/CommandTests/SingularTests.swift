import FunnelTestSupport
import Testing

/// A count of one is written in the singular.
@Suite struct SingularTests {
  @Test func `an ingest of one event says so`() throws {
    let place = try Workplace()
    let run = try place.run("ingest", "-", "--now", Workplace.now, input: LogLine.event("perm_flow_start"))
    #expect(
      run.output
        == """
        accepted 1 of 1 line from 1 input, 2026-11-20T10:00:00.000Z to 2026-11-20T10:00:00.000Z
        commit 1; funnel-store holds 1 event

        """)
  }

  @Test func `eleven unclaimed names are ten and one more`() throws {
    let place = try Workplace()
    let lines = (0...10).map { LogLine.event("event_\($0)", "s\($0)") }.joined()
    let run = try place.run("ingest", "-", "--now", Workplace.now, input: lines)
    #expect(run.output.contains("              and 1 more name\n"), "\(run.output)")
  }

  @Test func `one retried dead letter and one duplicate are one of each`() throws {
    let place = try Workplace()
    _ = try place.ingest("-", input: "{\n")
    let run = try place.run("rejected", "retry", "--now", Workplace.now)
    #expect(run.output == "retried 1 dead letter: 0 accepted, 0 duplicates, 1 still rejected\n", "\(run.output)\(run.errors)")
  }

  @Test func `a night of one event says one event`() throws {
    let place = try Workplace()
    try place.write(LogLine.event("perm_flow_start"), to: "inbox/a.ndjson")
    let run = try place.run(
      "nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--now", Workplace.now, "--min-events", "2")
    #expect(
      run.errors.contains("too few events, 1 is new in the store, fewer than --min-events 2,"), "\(run.output)\(run.errors)")
  }
}
