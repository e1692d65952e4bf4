import Testing

/// The user of events, as commands show it.
@Suite struct UserTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(
      LogLine.event("perm_flow_start", "inst_1", at: 0) + LogLine.event("user_linked", "inst_1", at: 1, #""user":"account_1""#)
        + LogLine.event("signed_in", "inst_1", at: 2, #""user":"account_1""#),
      to: "a.ndjson")
  }

  @Test func `the log keeps the user after the subject, and a link is not unclaimed`() throws {
    let summary = try place.ingest("a.ndjson")
    #expect(summary["accepted"] as? Int == 3 && summary["unclaimed"] as? Int == 1)
    let record = try place.run("log", "cat", "--name", "user_linked").output
    let head = #"{"name":"user_linked","ts":"2026-11-20T10:00:01.000Z","subject":"inst_1","user":"account_1","app":"cleaner","#
    #expect(record.hasPrefix(head), "\(record)")
    #expect(try place.run("log", "verify").status == 0)
  }

  @Test func `a trace shows the user of events that have one`() throws {
    _ = try place.ingest("a.ndjson")
    let lines = try place.run("trace", "inst_1", "--now", Workplace.now, "--format", "json").output.split(separator: "\n")
    #expect(lines.map { $0.contains(#","user":"account_1","#) } == [false, true, true])
    #expect(lines.map { $0.contains(#""unclaimed":true"#) } == [false, false, true])
    let table = try place.run("trace", "inst_1", "--now", Workplace.now).output.split(separator: "\n")
    #expect(table[1].hasSuffix("user_linked      links the user account_1"), "\(table)")
    #expect(table[2].hasSuffix("signed_in        unclaimed: no flow declares it"), "\(table)")
  }
}
