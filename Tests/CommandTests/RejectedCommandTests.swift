import Foundation
import FunnelTestSupport
import Testing

/// `funnel rejected` lists, shows and retries dead letters.
@Suite struct RejectedCommandTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(
      "{\n{\"a\":1\n" + LogLine.event("perm_flow_start", at: 0, #""props":{"trigger":"boredom"}"#), to: "a.ndjson")
    try place.write(LogLine.event("opened", "ann@example.org") + "[\u{1B}]\n", to: "b.ndjson")
    _ = try place.ingest("a.ndjson", "b.ndjson")
  }

  @Test func `ls counts by reason and message, with the place of the first`() throws {
    let run = try place.run("rejected", "ls")
    #expect(run.status == 0)
    let rows = run.output.split(separator: "\n").map(String.init)
    #expect(rows.count == 6)
    #expect(rows[0] == "count  reason         first at    message")
    #expect(
      rows.contains(
        #"1      invalid_field  a.ndjson:3  props.trigger must be one of "first_launch", "incomplete", "feature_flag", not "boredom""#
      ))
    #expect(
      rows.contains(
        "1      personal_data  b.ndjson:1  subject is an e-mail address; use a pseudonymous id, or keep pseudonyms alone with --pseudonymize"
      ))
    let filtered = try place.run("rejected", "ls", "--reason", "invalid_json", "--file", "b.ndjson").output.split(
      separator: "\n")
    #expect(filtered.count == 2)
    #expect(try place.run("rejected", "ls", "--file", "c").output == "no rejected line matches\n")
    let json = try place.run("rejected", "ls", "--format", "json", "--reason", "personal_data").output
    #expect(
      json.hasPrefix(#"{"v":1,"at":"2026-11-21T12:00:00.000Z","file":"b.ndjson","line":1,"offset":0,"reason":"personal_data","#)
    )
    #expect(json.hasSuffix(#""masked":true}"# + "\n"))
  }

  @Test func `a reason that does not exist is a usage error with what was meant`() throws {
    let run = try place.run("rejected", "ls", "--reason", "invalid_jsn")
    #expect(run.status == 64)
    #expect(run.errors == "funnel: no such reason, --reason invalid_jsn, did you mean invalid_json?\n")
    #expect(
      try place.run("rejected", "show", "--reason", "x").errors.hasPrefix(
        "funnel: no such reason, --reason x, give invalid_json, "))
  }

  @Test func `show prints place, reason and line, nothing that could harm a terminal, nothing personal`() throws {
    let run = try place.run("rejected", "show")
    #expect(run.status == 0)
    #expect(
      run.output.hasPrefix("a.ndjson:1 (byte 0)  invalid_json\n  column 2: a key in double quotes is missing here\n  {\n"))
    #expect(run.output.contains("  [\\u{1b}]\n"))
    #expect(run.output.contains(#""subject":"***""#))
    #expect(!run.output.contains("ann@"))
    let two = try place.run("rejected", "show", "--limit", "2", "--raw")
    #expect(two.output == "{\n{\"a\":1\n")
    #expect(try place.run("rejected", "show", "--limit", "0").status == 64)
  }

  @Test func `after the schema was mended a retry takes what passes, and the dead letter is gone`() throws {
    let unchanged = try place.run("rejected", "retry", "--now", Workplace.now)
    #expect(
      unchanged.output
        == "retried 5 dead letters: 0 accepted, 0 duplicates, 4 still rejected, 1 can't be retried (masked, cut or damaged)\n")
    let flow = try place.run("schema", "show", "cleaner/permissions_flow").output
    try place.write(flow.replacing(#""feature_flag"]"#, with: #""feature_flag", "boredom"]"#), to: "mended/flow.json")
    let retry = try place.run("rejected", "retry", "--schemas", "mended", "--now", Workplace.now)
    #expect(retry.status == 0)
    #expect(
      retry.output
        == "retried 5 dead letters: 1 accepted, 0 duplicates, 3 still rejected, 1 can't be retried (masked, cut or damaged)\n"
        + "the store remembers cleaner/permissions_flow@1, so its reports need no --schemas\n")
    #expect(try place.run("rejected", "ls", "--reason", "invalid_field").output == "no rejected line matches\n")
    #expect(try place.run("log", "cat").output.contains(#""props":{"trigger":"boredom"}"#))
    #expect(try place.run("log", "verify").status == 0)
    #expect(try place.run("rejected", "ls", "--format", "json").output.split(separator: "\n").count == 4)
  }

  @Test func `a masked line is never retried, whatever the schema`() throws {
    let clean = try Workplace()
    _ = try clean.ingest("-", input: LogLine.event("opened", "s1", at: 0, #""props":{"email":"ann@example.org"}"#))
    let retry = try clean.run("rejected", "retry", "--now", Workplace.now)
    #expect(
      retry.output
        == "retried 1 dead letter: 0 accepted, 0 duplicates, 0 still rejected, 1 can't be retried (masked, cut or damaged)\n")
    #expect(try clean.run("log", "cat").output == "")
    for (name, bytes) in try clean.storeBytes() where name.hasSuffix(".gz") {
      #expect(!String(decoding: bytes, as: UTF8.self).contains("ann@"))
    }
    let inflated = try FunnelRun(shell: "gzip -dc funnel-store/rejected/dt=*/*.gz", directory: clean.url).output
    #expect(inflated.contains("***") && !inflated.contains("ann@example.org"))
  }
}
