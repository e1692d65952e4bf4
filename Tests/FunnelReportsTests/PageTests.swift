import Foundation
import FunnelModel
import FunnelProjections
import Testing

@testable import FunnelRendering
@testable import FunnelReports

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// A page is whole, loads nothing, and says the same numbers as the tables.
@Suite struct PageTests {
  @Test func `a page is well-formed, in one file, and names what it shows`() throws {
    let page = try Page(ReportRenderer.render(SampleReports.full, as: .html))
    #expect(page.texts(of: "h1").count == 1)
    #expect(page.texts(of: "h2").allSatisfy { !$0.isEmpty })
    #expect(!page.elements.contains("script"))
    #expect(page.attributes["src"] == nil && page.attributes["style"] == nil)
    #expect(page.attributes["href", default: []].allSatisfy { $0.hasPrefix("#flow-") })
    #expect(
      page.attributes["content", default: []].contains(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:"))
    for chart in page.attributes["aria-labelledby", default: []] { #expect(page.attributes["id", default: []].contains(chart)) }
    #expect(Set(page.attributes["id", default: []]).count == page.attributes["id", default: []].count)
  }

  @Test func `each number of the Markdown tables stands in a table of the page`() throws {
    for report in [SampleReports.full, SampleReports.segmented] {
      let page = try Page(ReportRenderer.render(report, as: .html))
      let cells = Set((page.texts(of: "td") + page.texts(of: "th")).map(Self.plain))
      let markdown = try ReportRenderer.render(report, as: .markdown)
      for line in markdown.split(separator: "\n") where line.hasPrefix("| ") && !line.contains("--: |") {
        for cell in line.split(separator: "|").map({ Self.plain(String($0)) }) where !cell.isEmpty {
          #expect(cells.contains(cell), "\(cell)")
        }
      }
    }
  }

  /// Returns a cell without the marks in which the formats differ.
  private static func plain(_ cell: String) -> String {
    String(cell.filter { !"\\_*()[]⁽⁾ ".contains($0) })
  }

  @Test(arguments: HostileTexts.all)
  func `no text becomes markup, style or script`(_ text: String) throws {
    let harmless = try Page(ReportRenderer.render(SampleReports.hostile("x"), as: .html))
    let page = try Page(ReportRenderer.render(SampleReports.hostile(text), as: .html))
    #expect(Set(page.elements).subtracting(["bdi"]).isSubset(of: harmless.elements))
    #expect(Set(page.attributes.keys).isSubset(of: harmless.attributes.keys))
    #expect(page.attributes["href"] == harmless.attributes["href"])
    #expect(page.texts(of: "style") == harmless.texts(of: "style"))
    let shown = text.unicodeScalars.filter { $0 != "\u{FFFE}" && $0 != "\u{FFFF}" }.map { scalar -> Unicode.Scalar in
      scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar
    }
    #expect(
      page.allText.contains(String(String.UnicodeScalarView(shown)))
        || shown.allSatisfy(\.properties.isWhitespace))
  }

  @Test func `a report without rows says so and stays a page`() throws {
    var report = SampleReports.full
    report[FunnelReport.self] = []
    report[GrantsReport.self] = []
    report[DropoffReport.self] = []
    let page = try Page(ReportRenderer.render(report, as: .html))
    #expect(page.texts(of: "h2") == ["Nothing matched"])
  }
}

/// The elements, attributes and texts of a page, read by an XML parser: pages are written so that both parsers take them.
private final class Page: NSObject, XMLParserDelegate {
  private(set) var elements: Set<String> = []
  private(set) var attributes: [String: [String]] = [:]
  private(set) var allText = ""
  private var texts: [(element: String, text: String)] = []
  private var open: [Int] = []

  init(_ text: String) throws {
    super.init()
    // HTML has two characters that XML has not.
    let text = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{FFFE}" && $0 != "\u{FFFF}" }))
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    guard parser.parse() else { throw parser.parserError ?? CocoaError(.coderReadCorrupt) }
  }

  func texts(of element: String) -> [String] { texts.filter { $0.element == element }.map(\.text) }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes own: [String: String]
  ) {
    elements.insert(name)
    for (key, value) in own { attributes[key, default: []].append(value) }
    open.append(texts.count)
    texts.append((name, ""))
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    allText += string
    for index in open { texts[index].text += string }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    open.removeLast()
  }
}
