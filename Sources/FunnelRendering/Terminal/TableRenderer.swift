import FunnelModel

/// Renders a report as tables for a terminal, with a section for each flow version.
package struct TableRenderer {
  let document: ReportDocument
  let style: TableStyle
  let glyphs: Glyphs
  private var output = ""
  /// Whether a share of few groups was marked. The mark is then explained at the end.
  var hasMarkedFew = false

  /// Returns a document as text tables.
  package static func render(_ document: ReportDocument, style: TableStyle) -> String {
    var renderer = TableRenderer(document: document, style: style)
    renderer.printReport()
    return renderer.output
  }

  private init(document: ReportDocument, style: TableStyle) {
    self.document = document
    self.style = style
    glyphs = style.isPlain ? .ascii : .unicode
  }

  private mutating func printReport() {
    printDamage()
    printNotes()
    guard !document.sections.isEmpty else { return printNothingMatched() }
    let query = queryItems()
    if !query.isEmpty {
      printItems(query, indent: 0)
      printBlank()
    }
    for (index, section) in document.sections.enumerated() {
      if index > 0 { printBlank() }
      printHeading(of: section)
      printReports(of: section)
    }
    if hasMarkedFew {
      printBlank()
      printItems(
        [
          StyledText("*", .caution)
            + StyledText(" a share of fewer than \(String(fewGroupsMax)) \(document.noun.plural): read with care", .faint)
        ], indent: 0)
    }
  }

  private mutating func printHeading(of section: FlowSection) {
    let name: TerminalText = section.flow.heading()
    let title = section.title.map { StyledText("\($0)", .strong) }
    let window = section.aside.map { StyledText(" \($0)", .faint) } ?? StyledText()
    // The 4 columns are a blank and at least three columns of the rule.
    let headingMax = style.width - window.width - 4
    let whole = title.map { $0 + StyledText("  ") + StyledText(name) } ?? StyledText(name, .strong)
    let isNameApart = title != nil && whole.width > headingMax
    var heading = ((isNameApart ? title : nil) ?? whole).fitted(to: headingMax, ellipsis: glyphs.ellipsis) + StyledText(" ")
    heading += StyledText(glyphs.rule.repeated(style.width - heading.width - window.width), .faint)
    printLine(heading + window)
    if isNameApart { printItems([StyledText(name)]) }
  }

  /// Returns the options of the query that differ from the defaults, and its `now`.
  private func queryItems() -> [StyledText] {
    let query = document.query
    let words = QueryWords<TerminalEscape>(query)
    var items: [TerminalText] =
      words.period + ["as of \(words.now)"] + words.log + words.closed + words.counting
    if !query.by.isEmpty { items.append("by \(query.by.map(\.description).joined(separator: ", "))") }
    items += query.conditions.map { "where \($0.description)" }
    return items.map { StyledText($0, .faint) }
  }
}

extension TableRenderer {
  /// Prints a line, truncated to the width.
  mutating func printLine(_ line: StyledText) {
    output += line.withoutTrailingBlanks.fitted(to: style.width, ellipsis: glyphs.ellipsis).rendered(color: style.color)
    output += "\n"
  }

  /// Prints an empty line.
  mutating func printBlank() { output += "\n" }

  /// Prints items, wrapped into lines.
  mutating func printItems(_ items: [StyledText], indent: Int = TableGrid.indent) {
    let blanks = StyledText(TerminalText(" ").repeated(indent))
    for line in items.wrapped(to: style.width - indent, separator: StyledText(glyphs.dot, .faint)) {
      printLine(blanks + line)
    }
  }

  /// Prints a sentence after a mark, wrapped into lines.
  mutating func printSentence(_ sentence: TerminalText, mark: StyledText, ink: Ink = .plain) {
    let lines = StyledText(sentence, ink).words.wrapped(to: style.width - mark.width, separator: StyledText(" ", ink))
    for (index, line) in lines.enumerated() {
      printLine((index == 0 ? mark : StyledText().padded(to: mark.width)) + line)
    }
  }

  /// Prints blocks of tables, each after a blank line.
  mutating func printBlocks(_ blocks: [TableGrid.Block]) {
    for block in blocks {
      if block.grid.hasFewMark(in: block.fit.indices) { hasMarkedFew = true }
      printBlank()
      for line in block.grid.lines(block.fit, glyphs: glyphs) { printLine(line) }
    }
  }
}

extension TableRenderer {
  /// Returns a count. Zero is faint.
  func count(_ value: Int, ink: Ink = .plain) -> StyledText {
    value == 0 ? StyledText("0", .faint) : StyledText("\(HumanNumbers.count(value))", ink)
  }

  /// The sign for an absent value.
  var none: StyledText { StyledText(glyphs.none, .faint) }

  /// Returns a cell with a share, marked if it has few groups.
  func rateCell(_ share: Double?, of groups: Int?, ink: Ink = .plain) -> TableGrid.Cell {
    guard let share, share.isFinite else { return .rate(none, few: false) }
    return .rate(StyledText("\(HumanNumbers.percent(share))", ink), few: (groups ?? fewGroupsMax) < fewGroupsMax)
  }

  /// Returns the 95 % interval of a rate.
  func interval(_ rate: Rate) -> TerminalText {
    let (low, high) = HumanNumbers.interval(rate)
    return "\(low)\(glyphs.to)\(high) %"
  }

  /// Returns the values of a segment joined in one text.
  func segmentText(_ segment: [PropertyValue]) -> StyledText {
    segment.isEmpty ? StyledText("all") : joined(segmentValues(segment))
  }

  /// Returns values separated by dots.
  func joined(_ values: [StyledText]) -> StyledText { values.joined(separator: StyledText(glyphs.dot, .faint)) }

  /// Returns the values of a segment separately.
  func segmentValues(_ segment: [PropertyValue]) -> [StyledText] {
    let dimensions = document.query.by
    return segment.enumerated().map { index, value in
      if value == .null { return StyledText("(none)", .faint) }
      let isVersion = index < dimensions.count && dimensions[index] == .version
      return StyledText(isVersion ? "v\(value.segmentLabel)" : "\(value.segmentLabel)")
    }
  }
}
