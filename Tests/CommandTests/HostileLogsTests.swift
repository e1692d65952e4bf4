import Foundation
import Testing

/// Output that shows hostile events contains no terminal controls, spreadsheet formulas or markup.
@Suite struct HostileLogsTests {
  private let workspace: SampleWorkspace

  init() throws {
    workspace = try SampleWorkspace(.hostile)
    try #require(workspace.ingest().status == 0)
  }

  @Test(arguments: ["report.txt", "report.md", "report.json", "keys.txt", "keys.md"])
  func `a report holds nothing hidden`(file: String) throws {
    let text = try report(file)
    #expect(text.contains("31mred"))
    // The family emoji of the sample keeps its zero-width joiners, which are not allowed elsewhere.
    let rest = text.split(separator: "👨‍👩‍👧‍👦", omittingEmptySubsequences: false).joined()
    #expect(rest.unicodeScalars.allSatisfy { $0 == "\n" || !($0.isControl || $0.isInvisible) })
  }

  @Test func `what is told about refused lines and unclaimed names drives no terminal`() throws {
    for arguments in [["rejected", "ls"], ["rejected", "show"], ["ingest", "hostile"], ["report", "hostile"]] {
      let run = try workspace.run(arguments)
      #expect(!run.output.isEmpty)
      #expect((run.output + run.errors).unicodeScalars.allSatisfy { $0 == "\n" || !$0.isControl }, "\(arguments)")
    }
  }

  @Test(arguments: ["funnel.csv", "grants.csv", "dropoff.csv", "keys.csv"])
  func `no cell of a CSV file is a formula, and every row has the header's columns`(file: String) throws {
    let rows = csvRows(try report(file))
    #expect(rows.count > 10)
    for row in rows {
      #expect(row.count == rows[0].count)
      for cell in row where Double(cell) == nil {
        // A spreadsheet may trim invisible characters before it looks for a formula.
        let seen = cell.unicodeScalars.first { !$0.properties.isWhitespace && !$0.isInvisible }
        for first in [cell.unicodeScalars.first, seen].compactMap(\.self) {
          #expect(!"=+-@\t\r\n＝＋－＠".unicodeScalars.contains(first), "\(cell.debugDescription)")
        }
        let harmful = cell.unicodeScalars.first { $0.isDirectional || $0.isDevice && !["\t", "\r", "\n"].contains($0) }
        #expect(harmful == nil, "\(cell.debugDescription)")
      }
    }
  }

  @Test(arguments: ["report.md", "keys.md"])
  func `a Markdown table keeps its columns, and holds no markup of others`(file: String) throws {
    var columns: Int?
    var lineCount = 0
    for line in try report(file).split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        columns = nil
        continue
      }
      lineCount += 1
      let bare = withoutEscapes(line)
      let bars = bare.count { $0 == "|" }
      #expect(bars == columns ?? bars, "\(line)")
      columns = bars
      #expect(!bare.contains { "<>`[]~$".contains($0) }, "\(line)")
      #expect(!bare.contains("://") && !bare.contains("www."), "\(line)")
    }
    #expect(lineCount > 20)
  }

  @Test func `a report as JSON holds every value as the events have it`() throws {
    let log = try Data(contentsOf: SampleFolder.hostile.url.appending(path: "values.ndjson"))
    let logged = try log.split(separator: 10).compactMap { line -> Data? in
      let event = try JSONSerialization.jsonObject(with: line) as? [String: Any]
      guard event?["name"] as? String == "paywall_shown" else { return nil }
      return try variant(in: event?["ctx"])
    }
    let document = try JSONSerialization.jsonObject(with: Data(report("report.json").utf8)) as? [String: Any]
    let rows = try #require(document?["funnel"] as? [[String: Any]])
    let reported = try rows.filter { $0["flow"] as? String == "paywall" }.map { try variant(in: $0["by"], key: "ctx.variant") }
    #expect(logged.count > 80)
    #expect(Set(reported) == Set(try logged.map(Self.segment)))
    #expect(reported.count == Set(reported).count)
  }

  @Test func `a hostile file name drives no terminal either`() throws {
    let name = "\u{1B}[2J\nred\u{202E}nosjdn\u{7F}.ndjson"
    try Data("{}\n{\n".utf8).write(to: workspace.url.appending(path: name))
    var runs = [
      try workspace.run("ingest", name, "--store", "other"), try workspace.run("report", name),
      try workspace.run("ingest", name, "--strict", "--store", "other"), try workspace.run("report", "none \(name)"),
    ]
    runs.append(try workspace.run("rejected", "ls", "--store", "other"))
    runs.append(try workspace.run("rejected", "show", "--store", "other"))
    for run in runs {
      #expect((run.output + run.errors).unicodeScalars.allSatisfy { $0 == "\n" || !$0.isControl })
    }
    #expect(runs.map(\.status) == [65, 65, 65, 66, 0, 0])
    #expect(runs[4].output.contains("\\u{1b}[2J\\u{a}red\\u{202e}nosjdn\\u{7f}.ndjson:1"))
  }

  private func report(_ file: String) throws -> String {
    let question = try #require(SampleFolder.hostile.reports.first { $0.file == file })
    return try workspace.reportFromStore(question).output
  }

  /// Returns the value of a key as JSON, so that strings that look alike stay different, and so do a number and its text.
  private func variant(in object: Any?, key: String = "variant") throws -> Data {
    let value = try #require((object as? [String: Any])?[key])
    return try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
  }

  /// Returns a logged value as a segment has it: a text that is a number, `true` or `false` is one with the value.
  private static func segment(_ value: Data) throws -> Data {
    guard let text = try JSONSerialization.jsonObject(with: value, options: .fragmentsAllowed) as? String,
      let read = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed), read is NSNumber
    else { return value }
    return try JSONSerialization.data(withJSONObject: read, options: .fragmentsAllowed)
  }

  /// Returns a line of Markdown without escaped characters and without the empty comments that the renderer inserts.
  private func withoutEscapes(_ line: some StringProtocol) -> String {
    var result = String.UnicodeScalarView()
    var scalars = line.replacingOccurrences(of: "<!-- -->", with: "").unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      if scalar == "\\" { _ = scalars.next() } else { result.append(scalar) }
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  /// Whether this is a C0 or C1 control, DEL, a format character such as a directional control, or a line or paragraph
  /// separator.
  fileprivate var isControl: Bool {
    [.control, .format, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
  }

  /// Whether this is a C0 or C1 control, or DEL.
  fileprivate var isDevice: Bool { properties.generalCategory == .control }

  /// Whether this changes the direction of text (UAX #9).
  fileprivate var isDirectional: Bool {
    [0x061C, 0x200E, 0x200F].contains(value) || (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
  }

  /// Whether this is zero-width or otherwise default-ignorable.
  fileprivate var isInvisible: Bool { properties.isDefaultIgnorableCodePoint }
}
