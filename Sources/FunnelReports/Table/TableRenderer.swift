import FunnelModel
import FunnelProjections

/// Renders a report as tables for a terminal, with a section for each flow version.
struct TableRenderer {
  let document: ReportDocument
  let style: TableStyle
  let glyphs: Glyphs
  private var output = ""
  /// Whether a share of few groups was marked. The mark is then explained at the end.
  var hasMarkedFew = false

  /// Returns a report as text tables.
  static func render(_ report: Report, style: TableStyle) -> String {
    var renderer = TableRenderer(document: ReportDocument(report, layout: .compact), style: style)
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
      printParts(of: section)
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

  /// Prints the notes about the groups that the numbers exclude or are restricted to.
  private mutating func printNotes() {
    guard !document.notes.isEmpty else { return }
    for note in document.notes { printSentence("\(note)", mark: StyledText("! ", .caution)) }
    printBlank()
  }

  private mutating func printHeading(of section: DocumentSection) {
    let version: TerminalText = section.flow.version.map { " v\(String($0))" } ?? ""
    let name: TerminalText = "\(section.flow.app)/\(section.flow.flow)\(version)"
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
    var items: [TerminalText] = []
    if let since = query.since { items.append("since \(since.minuteText)") }
    if let until = query.until { items.append("until \(until.minuteText)") }
    items.append("as of \(query.now.minuteText) UTC")
    if query.timeZone != .utc { items.append("days and hours of \(query.timeZone.name)") }
    if let past = query.asOf { items.append("log as it stood at \(past.description)") }
    if query.isMature { items.append("closed windows only") }
    if query.order != .ordered { items.append("order \(query.order.rawValue)") }
    if query.anchor == .best { items.append("best start in the period") }
    if let countBy = query.countBy { items.append("counted by \(countBy.rawValue)") }
    if !query.by.isEmpty { items.append("by \(query.by.map(\.description).joined(separator: ", "))") }
    for condition in query.conditions { items.append("where \(condition.description)") }
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
    let values = segmentValues(segment)
    return values.dropFirst().reduce(values.first ?? StyledText("all")) { $0 + StyledText(glyphs.dot, .faint) + $1 }
  }

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

extension Timestamp {
  /// The time in the form `2026-11-21 06:00`, with seconds and milliseconds only if they are not zero.
  var minuteText: String {
    let text = description
    let date = text.prefix(10)
    let time = text.dropFirst(11)
    if milliseconds % 60_000 == 0 { return "\(date) \(time.prefix(5))" }
    if milliseconds % 1000 == 0 { return "\(date) \(time.prefix(8))" }
    return "\(date) \(time.prefix(12))"
  }
}
