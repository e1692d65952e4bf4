import FunnelModel

/// Renders a report as GitHub Flavored Markdown, with a heading for each flow and a table for each report.
package struct MarkdownRenderer: MarkupRenderer {
  typealias Rule = MarkdownEscape

  private let document: ReportDocument
  private var output = ""
  /// Whether a share of few groups was marked. The mark is then explained below the tables.
  var hasMarkedFew = false

  /// Returns a document as Markdown.
  package static func render(_ document: ReportDocument) -> String {
    var renderer = MarkdownRenderer(document: document)
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
    if document.sections.isEmpty { print("\n\(document.emptinessTitle): \(document.emptinessReason).") }
    for section in document.sections {
      print("\n### \(heading(of: section))")
      for report in section.reports { print(report, of: section) }
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
    let words = QueryWords<MarkdownEscape>(query)
    var items: [MarkdownText] =
      ["As of \(words.now)"] + words.log + words.closed + words.period + words.counting
    if !query.by.isEmpty { items.append("by " + query.by.map { "\($0.description)" }.joined(separator: " and ")) }
    items += query.conditions.map { "where \($0.description)" }
    return items.joined(separator: ", ") + "."
  }

  private func heading(of section: FlowSection) -> MarkdownText {
    let name: MarkdownText = section.flow.heading()
    return section.title.map { "\($0): \(name)" } ?? name
  }

  private mutating func print(_ report: ReportSection, of section: FlowSection) {
    hasMarkedFew = false
    for block in report.blocks { print(block) }
    if hasMarkedFew {
      print("\n\(Self.fewMark) a share of fewer than \(String(fewGroupsMax)) \(section.noun.plural): read with care")
    }
  }

  private mutating func print(_ block: DocumentBlock) {
    switch block {
    case .facts(let facts), .factsOfTable(let facts):
      print("\n" + facts.map { text($0) }.joined(separator: " · "))
    case .warning(let sentence): print("\n> **\(sentence).**")
    case .statement(let sentence): print("\n**\(sentence).**")
    case .table(let table): print(table)
    case .matrix(let matrix): print(matrix)
    case .explanation(let sentence): print("\n\(sentence).")
    case .footnotes(let notes):
      for (index, note) in notes.enumerated() { print("\n\(Self.mark(ofFootnote: index + 1)) \(note)") }
    }
  }
}

extension MarkdownRenderer {
  static var fewMark: MarkdownText { "\\*" }
  static var noValue: MarkdownText { "_(none)_" }
  static var optionalNote: MarkdownText { "_(optional)_" }

  static func isolated(_ text: String) -> MarkdownText { "\(text)" }
  static func emphasized(_ text: MarkdownText, _ emphasis: Emphasis) -> MarkdownText { text }
  static func mark(ofFootnote number: Int) -> MarkdownText { "⁽\(String(number))⁾" }

  /// Returns a value for each dimension of the query.
  func values(of segment: [PropertyValue]) -> [MarkdownText] { query.by.indices.map { value(of: segment, at: $0) } }
}

extension MarkdownRenderer {
  /// Prints a table after a blank line, with a column for each dimension of the query if its rows have segments.
  mutating func print(_ table: DocumentTable) {
    let columns = table.columns
    let hasSegments = table.rows.contains { !$0.segment.isEmpty }
    let dimensions = hasSegments ? query.by : []
    printLine([])
    printLine(dimensions.map { "\($0.description)" } + columns.map { "\($0.title.text)" })
    printLine(dimensions.map { _ in ":--" } + columns.map { $0.role == .number ? "--:" : ":--" })
    for row in table.rows {
      printLine((hasSegments ? values(of: row.segment) : []) + row.cells.map { text($0) })
    }
  }

  /// Prints a matrix as a table with a column for each segment.
  mutating func print(_ matrix: DocumentMatrix) {
    printLine([])
    printLine(["\(matrix.title)"] + matrix.columns.map { text(Phrase([.segment($0.segment)])) })
    printLine([":--"] + matrix.columns.map { _ in "--:" })
    for (index, label) in matrix.labels.enumerated() {
      printLine([text(label)] + matrix.columns.map { text($0.cells[index]) })
    }
  }

  private mutating func printLine(_ cells: [MarkdownText]) {
    print(cells.isEmpty ? "" : "|" + cells.map { " " + $0 + " |" }.joined())
  }
}
