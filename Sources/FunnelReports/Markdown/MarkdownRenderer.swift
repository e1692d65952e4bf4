import FunnelModel
import FunnelProjections

/// Renders a report as GitHub Flavored Markdown, with a heading for each flow and a table for each report.
struct MarkdownRenderer {
  private let document: ReportDocument
  private var output = ""
  /// Whether a share of few groups was marked. The mark is then explained below the tables.
  var hasMarkedFew = false

  /// Returns a report as Markdown.
  static func render(_ report: Report) -> String {
    var renderer = MarkdownRenderer(document: ReportDocument(report, layout: .long))
    renderer.printDocument()
    return renderer.output
  }

  private init(document: ReportDocument) {
    self.document = document
  }

  var query: ReportQuery { document.query }

  /// Appends a line.
  mutating func print(_ line: MarkdownText) {
    output += line.text + "\n"
  }

  private mutating func printDocument() {
    if let damage = document.damage { print(damage) }
    print(queryText)
    for note in document.notes { print("\n> \(note).") }
    if document.sections.isEmpty { print("\nNothing matched: \(document.nothing).") }
    for section in document.sections {
      print("\n### \(heading(of: section))")
      for part in section.parts { print(part, of: section) }
    }
  }

  private mutating func print(_ damage: ReportDamage) {
    print("> **\(damage.headline)**")
    print(">")
    for line in damage.lines { print("> - \(line)") }
    print("")
  }

  /// The query in words.
  private var queryText: MarkdownText {
    var line: MarkdownText = "As of \(query.now.minuteText) UTC"
    if query.timeZone != .utc { line = line + ", days and hours of \(query.timeZone.name)" }
    if let past = query.asOf { line = line + ", log as it stood at \(past.description)" }
    if query.isMature { line = line + ", closed windows only" }
    if let since = query.since { line = line + ", since \(since.minuteText)" }
    if let until = query.until { line = line + ", until \(until.minuteText)" }
    if query.order != .ordered { line = line + ", order \(query.order.rawValue)" }
    if query.anchor == .best { line = line + ", best start in the period" }
    if let countBy = query.countBy { line = line + ", counted by \(countBy.rawValue)" }
    for (index, dimension) in query.by.enumerated() {
      line = line + (index == 0 ? ", by " : " and ") + "\(dimension.description)"
    }
    for condition in query.conditions { line = line + ", where \(condition.description)" }
    return line + "."
  }

  private func heading(of section: DocumentSection) -> MarkdownText {
    let version: MarkdownText = section.flow.version.map { " v\(String($0))" } ?? ""
    let name: MarkdownText = "\(section.flow.app)/\(section.flow.flow)\(version)"
    return section.title.map { "\($0): \(name)" } ?? name
  }

  private mutating func print(_ part: DocumentPart, of section: DocumentSection) {
    hasMarkedFew = false
    for block in part.blocks { print(block) }
    if hasMarkedFew { print("\n\\* a share of fewer than \(String(fewGroupsMax)) \(section.noun.plural): read with care") }
  }

  private mutating func print(_ block: DocumentBlock) {
    switch block {
    case .facts(let facts), .factsOfTable(let facts):
      let texts = facts.map { text($0) }
      print("\n" + texts.dropFirst().reduce(texts.first ?? "") { $0 + " · " + $1 })
    case .warning(let sentence): print("\n> **\(sentence).**")
    case .statement(let sentence): print("\n**\(sentence).**")
    case .table(let table): print(table)
    case .matrix(let matrix): print(matrix)
    case .explanation(let sentence): print("\n\(sentence).")
    case .footnotes(let notes):
      for (index, note) in notes.enumerated() { print("\n\(mark(ofFootnote: index + 1)) \(note)") }
    }
  }
}
