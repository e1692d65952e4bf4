import Foundation
import FunnelTestSupport
import Testing

/// Files that are JSON, but not one object a line, and events whose fields have other names.
@Suite struct MisshapenInputTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private static let array = "[\n  {\n    \"name\": \"a\",\n    \"ts\": 1\n  },\n  {\n    \"name\": \"b\"\n  }\n]\n"

  @Test(arguments: [
    ("array.json", array, "array.json looks like a JSON array; one object a line is needed: jq -c '.[]' array.json"),
    (
      "crlf.json", array.replacingOccurrences(of: "\n", with: "\r\n"),
      "crlf.json looks like a JSON array; one object a line is needed: jq -c '.[]' crlf.json"
    ),
    (
      "my array.json", "\u{FEFF}\n[{\"name\":\"a\"},\n{\"name\":\"b\"}]",
      "my array.json looks like a JSON array; one object a line is needed: jq -c '.[]' 'my array.json'"
    ),
    (
      "line.json", "[{\"name\":\"a\"},{\"name\":\"b\"}]",
      "line.json looks like a JSON array; one object a line is needed: jq -c '.[]' line.json"
    ),
    (
      "objects.json", "{\n  \"name\": \"a\"\n}\n{\n  \"name\": \"b\"\n}\n",
      "objects.json looks like JSON over several lines; one object a line is needed: jq -c . objects.json"
    ),
  ])
  func `a file that is JSON, but not one object a line, is told as such once`(name: String, text: String, hint: String) throws {
    try place.write(text, to: name)
    let ingest = try place.run("ingest", name, "--now", Workplace.now)
    #expect(ingest.status == 65)
    #expect(ingest.output.contains("\n              \(hint)\ncommit 1"), "\(ingest.output)")
    let report = try place.run("report", "funnel", name, "--format", "csv", "--now", Workplace.now)
    #expect(report.status == 65)
    let lines = report.errors.split(separator: "\n")
    #expect(lines.count == 5 && lines[1] == "funnel:   \(hint)", "\(report.errors)")
    let dry = try place.run("ingest", name, "--dry-run", "--now", Workplace.now)
    #expect(dry.errors.hasPrefix("funnel: every line was refused, ") && dry.errors.hasSuffix(", \(hint)\n"), "\(dry.errors)")
  }

  @Test func `a stream and a compressed file get the command that fits them, pseudonyms or not`() throws {
    let stream = try place.run("ingest", "-", "--pseudonymize", "--now", Workplace.now, input: Self.array)
    #expect(
      stream.output.contains("standard input looks like a JSON array; one object a line is needed: jq -c '.[]'\n"),
      "\(stream.output)")
    try place.write(Self.array, to: "a.json")
    #expect(try FunnelRun(shell: "gzip a.json", directory: place.url).status == 0)
    let compressed = try place.run("ingest", "a.json.gz", "--dry-run", "--store", "other", "--now", Workplace.now)
    #expect(
      compressed.errors.hasSuffix(
        "a.json.gz looks like a JSON array; one object a line is needed: zcat a.json.gz | jq -c '.[]'\n"),
      "\(compressed.errors)")
  }

  @Test(arguments: ["[2026-11-20 10:00] started\n", "{\n", "{\"name\":\n", "[1\n", "{ }\n{\n"])
  func `a line that only begins like one of these is refused as what it is`(text: String) throws {
    #expect(try !place.run("ingest", "-", "--now", Workplace.now, input: text).output.contains("looks like"))
  }

  @Test func `a night tells what to make of such a file`() throws {
    let fixture = try NightlyFixture()
    try fixture.upload(Self.array, as: "a.json")
    let run = try fixture.night()
    #expect(
      run.errors.contains(
        "inbox/a.json looks like a JSON array; one object a line is needed: jq -c '.[]' inbox/a.json; it was moved to failed/"),
      "\(run.errors)")
  }

  @Test(arguments: [
    (
      #"{"name":"a","timestamp":1,"subject":"s","app":"a"}"#,
      "ts is missing, but there is timestamp: rename it: jq -c '.ts=.timestamp|del(.timestamp)'"
    ),
    (
      #"{"name":"a","time":1,"subject":"s","app":"a"}"#,
      "ts is missing, but there is time: rename it: jq -c '.ts=.time|del(.time)'"
    ),
    (
      #"{"event":"a","timestamp":1,"anonymousId":"s","app":"a"}"#,
      "name is missing, but there is event: rename it and others:"
        + " jq -c '.name=.event|.ts=.timestamp|.subject=.anonymousId|del(.event,.timestamp,.anonymousId)'"
    ),
    (
      #"{"name":"a","ts":1,"user_id":"s","app":"a"}"#,
      "subject is missing, but there is user_id: rename it: jq -c '.subject=.user_id|del(.user_id)'"
    ),
    (
      #"{"name":"a","ts":1,"distinct_id":"s","app":"a"}"#,
      "subject is missing, but there is distinct_id: rename it: jq -c '.subject=.distinct_id|del(.distinct_id)'"
    ),
    (
      #"{"name":"a","ts":1,"device_id":"s","app":"a"}"#,
      "subject is missing, but there is device_id: rename it: jq -c '.subject=.device_id|del(.device_id)'"
    ),
    (#"{"name":"a","user_id":"s","app":"a"}"#, "ts is missing: when did it happen?"),
    (#"{"ts":1,"subject":"s"}"#, "name is missing: every event has one"),
  ])
  func `a field that is there under another name is pointed out`(line: String, message: String) throws {
    _ = try place.run("ingest", "-", "--now", Workplace.now, input: line)
    let letter = try JSONSerialization.jsonObject(with: Data(place.run("rejected", "ls", "--format", "json").output.utf8))
    #expect((letter as? [String: Any])?["message"] as? String == message)
  }
}
