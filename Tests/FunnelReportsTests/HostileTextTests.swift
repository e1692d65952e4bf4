import FunnelModel
import FunnelProjections
import Testing

@testable import FunnelRendering
@testable import FunnelReports
import FunnelTestSupport

@Suite struct HostileTextTests {
  @Test func thereAreManyHostileTexts() {
    #expect(HostileTexts.all.count >= 60)
  }

  @Test(arguments: HostileTexts.all)
  func noTextDrivesATerminalOrHidesInATable(_ text: String) throws {
    let report = SampleReports.hostile(text)
    for report in [report, SampleReports.firstSegment(report)] {
      for width in [40, 60, 80, 120] {
        let table = try ReportRenderer.render(
          report, as: .table, style: TableStyle(width: width, color: false, isPlain: width == 80))
        let forbidden = Self.withoutJoinedEmoji(table).unicodeScalars.first { $0 != "\n" && Self.isForbidden($0) }
        #expect(forbidden == nil, "\(text.debugDescription)")
        #expect(Self.isWithin(width, table))
      }
    }
  }

  @Test(arguments: HostileTexts.all)
  func withColourTheOnlyEscapesAreOurOwn(_ text: String) throws {
    let report = SampleReports.firstSegment(SampleReports.hostile(text))
    var table = try ReportRenderer.render(report, as: .table, style: TableStyle(width: 80, color: true, isPlain: false))[...]
    while let escape = table.unicodeScalars.firstIndex(of: "\u{1B}") {
      let rest = table[escape...]
      let known = ["0", "1", "2", "31", "33", "36"].contains { rest.hasPrefix("\u{1B}[\($0)m") }
      #expect(known, "\(rest.prefix(12).debugDescription)")
      table = table[table.unicodeScalars.index(after: escape)...]
    }
  }

  @Test(arguments: HostileTexts.all)
  func csvKeepsItsShapeAndStartsNoFormula(_ text: String) throws {
    for report in SampleReports.named(SampleReports.hostile(text)) {
      let rows = try CSVReader.read(ReportRenderer.render(report, as: .csv))
      let expected =
        (report.funnel?.flatMap(\.steps).count ?? 0) + (report.grants?.count ?? 0)
        + (report.dropoff?.flatMap(\.steps).count ?? 0)
      #expect(rows.count == expected + 1)
      #expect(rows.allSatisfy { $0.count == rows[0].count })
      let cells = rows.joined()
      #expect(cells.first(where: Self.startsFormula) == nil)
      #expect(
        cells.first { $0.unicodeScalars.contains { $0.properties.generalCategory == .control && !Self.lineEnds.contains($0) } }
          == nil)
    }
  }

  @Test(arguments: HostileTexts.all)
  func markdownTablesKeepTheirColumnsAndGainNoMarkup(_ text: String) throws {
    let markdown = try ReportRenderer.render(SampleReports.hostile(text), as: .markdown)
    var columns: Int?
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        columns = nil
        continue
      }
      let count = Self.unescapedCount(of: "|", in: line)
      #expect(count == columns ?? count, "\(line)")
      columns = count
    }
    let ours = markdown.split(separator: "<!-- -->", omittingEmptySubsequences: false).joined()
    #expect(!ours.utf8.contains(UInt8(ascii: "<")))
    for mark in ["`", "[", "]", "$"] as [Character] { #expect(Self.unescapedCount(of: mark, in: ours[...]) == 0) }
    for link in ["http://", "www.", "a@b", "@everyone", "#1"] { #expect(!markdown.contains(link)) }
    #expect(Self.withoutJoinedEmoji(markdown).unicodeScalars.allSatisfy { $0 == "\n" || !Self.isForbidden($0) })
  }

  @Test(arguments: HostileTexts.all)
  func jsonReadsBackToTheSameText(_ text: String) throws {
    let root = try JSONDocument(parsing: Array(ReportRenderer.render(SampleReports.hostile(text), as: .json).utf8)).root
    let funnel = try #require(root["funnel"]?.array?[0])
    let grant = try #require(root["grants"]?.array?[0])
    let found: [String?] = [
      funnel["app"]?.string, funnel["flow"]?.string, funnel["steps"]?.array?[0]["id"]?.string,
      funnel["steps"]?.array?[0]["label"]?.string, grant["permission"]?.string, grant["note"]?.string,
      root["dropoff"]?.array?[0]["steps"]?.array?[2]["label"]?.string, funnel["by"]?.object?[0].node.string,
    ]
    for string in found { #expect(string.map { Array($0.utf8) } == Array(text.utf8)) }
    #expect(funnel["by"]?.object?[0].key.utf8.elementsEqual("ctx.\(text)".utf8) == true)
    #expect(root["query"]?["by"]?.array?[1].string?.utf8.elementsEqual("props.p\(text)".utf8) == true)
    #expect(root["query"]?["where"]?.array?[0].string?.utf8.elementsEqual("ctx.x~y\(text)y".utf8) == true)
  }

  @Test(arguments: 0..<80)
  func noLineIsWiderThanAsked(_ seed: Int) throws {
    var reports = RandomReports(seed: UInt64(seed))
    let report = reports.report()
    for width in [40, 61, 80, 120, 500] {
      let table = try ReportRenderer.render(
        report, as: .table, style: TableStyle(width: width, color: false, isPlain: seed % 2 == 0))
      #expect(Self.isWithin(width, table), "seed \(seed), width \(width):\n\(table)")
      #expect(table.hasSuffix("\n"))
    }
  }

  private static let lineEnds: Set<Unicode.Scalar> = ["\t", "\r", "\n"]

  /// Returns whether a spreadsheet may treat a cell as a formula, with or without leading blanks.
  private static func startsFormula(_ cell: String) -> Bool {
    let first = cell.unicodeScalars.first { !$0.properties.isWhitespace || lineEnds.contains($0) }
    return first.map { "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains($0) } ?? false
  }

  /// Returns the text without the emoji of the hostile texts, which keep their joiners.
  private static func withoutJoinedEmoji(_ text: String) -> String {
    ["👨‍👩‍👧‍👦", "❤️"].reduce(text) { $0.split(separator: $1, omittingEmptySubsequences: false).joined() }
  }

  /// Returns whether no table may contain a scalar: controls, directional controls, zero-width and other default-ignorable
  /// characters.
  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFE00...0xFE0F,
      0xE0000...0xE0FFF, 0x115F, 0x1160, 0x3164, 0xFFA0, 0x180B...0x180F, 0xFFF9...0xFFFB:
      true
    default: scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private static func isWithin(_ width: Int, _ text: String) -> Bool {
    text.utf8.split(separator: UInt8(ascii: "\n")).allSatisfy { line in
      line.count <= width || Substring(line).reduce(0) { $0 + $1.displayWidth } <= width
    }
  }

  private static func unescapedCount(of mark: Character, in line: Substring) -> Int {
    var count = 0
    var isEscaped = false
    for character in line.unicodeScalars {
      if !isEscaped, Character(character) == mark { count += 1 }
      isEscaped = character == "\\" && !isEscaped
    }
    return count
  }
}
