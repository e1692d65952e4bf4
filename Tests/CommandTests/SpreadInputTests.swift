import Foundation
import FunnelTestSupport
import Testing

/// Files that hold an array of events, or events that span lines, give the answers of their NDJSON form.
@Suite struct SpreadInputTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  /// Events, of which the fourth has no valid time and the sixth no subject.
  private static let lines: [String] = {
    var lines = LogLine.completedRun("s1", at: 0).split(separator: "\n").map(String.init)
    lines += LogLine.completedRun("s2", at: 60).split(separator: "\n").map(String.init)
    lines[3] = lines[3].replacing("\"ts\":", with: "\"ts\":\"never\",\"props\":{\"a b\":\"{[\\\"\"},\"seq\":")
    lines[5] = lines[5].replacing("\"subject\":\"s1\",", with: "")
    return lines
  }()

  /// Returns the events with each member on a line of its own.
  private static func spread(_ end: String) -> [String] {
    lines.map { line in
      "{" + end + "  " + line.dropFirst().dropLast().replacing(",\"", with: ",\(end)  \"") + end + "}"
    }
  }

  static let layouts: [(name: String, text: String)] = [
    ("compact array", "[" + lines.joined(separator: ",") + "]"),
    ("array of lines", "[\n" + lines.joined(separator: ",\n") + "\n]\n"),
    ("pretty array", "[\n" + spread("\n").joined(separator: ",\n") + "\n]\n"),
    ("CRLF array with a mark", "\u{FEFF}[\r\n" + spread("\r\n").joined(separator: ",\r\n") + "\r\n]\r\n"),
    ("spread objects", spread("\n").joined(separator: "\n") + "\n"),
    ("spread objects without an end", "\n" + spread("\n").joined(separator: "\n\n")),
  ]

  @Test(arguments: layouts.indices, [1, 3])
  func `a file in another layout gives the report of its lines, and its dead letters name their places`(
    index: Int, threads: Int
  ) throws {
    let text = Self.layouts[index].text
    try place.write(Self.lines.joined(separator: "\n"), to: "lines.ndjson")
    try place.write(text, to: "other.json")
    let expected = try place.report("lines.ndjson")
    #expect(try place.report("other.json", "--threads", "\(threads)") == expected)
    let summary = try place.ingest("other.json", "--threads", "\(threads)")
    #expect(summary["accepted"] as? Int == 10 && summary["rejected"] as? Int == 2 && summary["lines"] as? Int == 12)
    #expect(try place.report() == expected)
    let letters = try place.run("rejected", "ls", "--format", "json").output.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
    }
    #expect(letters.map { $0["reason"] as? String } == ["invalid_field", "missing_field"])
    let bytes = Array(text.utf8)
    for letter in letters {
      let (offset, line) = (letter["offset"] as? Int ?? -1, letter["line"] as? Int ?? -1)
      let raw = Array((letter["raw"] as? String ?? "").utf8)
      #expect(bytes[offset] == UInt8(ascii: "{") && 1 + bytes[..<offset].count { $0 == 0x0A } == line)
      #expect(bytes[offset..<(offset + raw.count)].map { $0 == 0x0A ? 0x20 : $0 } == raw)
    }
    // The refusals of a report name the same places.
    let refused = try place.run("report", "other.json", "--now", Workplace.now).errors
    for letter in letters { #expect(refused.contains("other.json:\(letter["line"] ?? 0): "), "\(refused)") }
    // A record is one line, so it can be retried.
    let retried = try place.run("rejected", "retry", "--now", Workplace.now)
    #expect(retried.status == 0, "\(retried.errors)")
  }

  @Test func `a stream, a compressed file and a store of pseudonyms take an array too`() throws {
    let text = Self.layouts[2].text
    let stream = try place.ingest("-", "--pseudonymize", input: text)
    #expect(stream["accepted"] as? Int == 10)
    try place.write(text, to: "export")
    #expect(try FunnelRun(shell: "gzip export", directory: place.url).status == 0)
    #expect(try place.ingest("export.gz", "--store", "other")["accepted"] as? Int == 10)
    let fixture = try NightlyFixture()
    try fixture.upload(text, as: "a.json")
    #expect(try fixture.night().status == 0)
    #expect(try fixture.inbox() == ["done/a.json"])
  }

  @Test func `CSV with the names of the fields is read, and its dead letters hold the record`() throws {
    let record = "perm_flow_start,\"never,\n\",s2,cleaner"
    try place.write("name,ts,subject,app\r\nperm_flow_start,2026-11-20T10:00:00Z,s1,cleaner\r\n\(record)\r\n", to: "t.csv")
    let summary = try place.ingest("t.csv")
    #expect(summary["lines"] as? Int == 2 && summary["accepted"] as? Int == 1)
    let letter = try place.run("rejected", "ls", "--format", "json").output
    #expect(letter.contains(#""line":3,"offset":70,"reason":"invalid_field""#), "\(letter)")
    #expect(letter.contains(#""raw":"perm_flow_start,\"never,\n\",s2,cleaner""#), "\(letter)")
    #expect(try place.report("t.csv") == place.report())
  }

  @Test func `personal data in CSV is masked before it is stored`() throws {
    try place.write("name,ts,subject,app\nperm_flow_start,2026-11-20T10:00:00Z,jane@example.org,cleaner\n", to: "t.csv")
    _ = try place.ingest("t.csv")
    let letter = try place.run("rejected", "ls", "--format", "json").output
    #expect(letter.contains("personal_data") && letter.contains("***") && !letter.contains("jane"), "\(letter)")
  }
}
