import FunnelModel
import FunnelProjections

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
      printLine((hasSegments ? segmentCells(row.segment) : []) + row.cells.map { text($0) })
    }
  }

  /// Prints a matrix as a table with a column for each segment.
  mutating func print(_ matrix: DocumentMatrix) {
    printLine([])
    printLine(["\(matrix.title)"] + matrix.columns.map { text(Phrase([.segment($0.segment)])) })
    printLine([":--"] + matrix.columns.map { _ in "--:" })
    for (index, label) in matrix.labels.enumerated() {
      printLine([text(label)] + matrix.columns.map { index < $0.cells.count ? text($0.cells[index]) : "" })
    }
  }

  private mutating func printLine(_ cells: [MarkdownText]) {
    print(cells.isEmpty ? "" : cells.reduce("|") { $0 + " " + $1 + " |" })
  }

  private func segmentCells(_ segment: [PropertyValue]) -> [MarkdownText] {
    query.by.indices.map { index in
      guard index < segment.count, segment[index] != .null else { return "_(none)_" }
      return "\(segment[index].segmentLabel)"
    }
  }

  private mutating func text(_ cell: DocumentCell) -> MarkdownText {
    switch cell {
    case .empty: ""
    case .label(let label): text(label)
    case .count(let count, _): count.map { "\(HumanNumbers.count($0))" } ?? "–"
    case .share(let share, let groups, _): self.share(share, of: groups)
    case .interval(let rate): rate.map { interval($0) } ?? "–"
    case .rateOfGroups(let rate, let groups):
      share(rate?.value, of: rate?.denominator) + " of " + "\(HumanNumbers.count(groups))"
    case .duration(let milliseconds, _): milliseconds.map { "\(HumanNumbers.duration(milliseconds: $0))" } ?? "–"
    case .items(let items): items.isEmpty ? "–" : items.dropFirst().reduce(text(items[0])) { $0 + ", " + text($1) }
    case .text(let text, _): "\(text)"
    case .bar(_, let number): text(number)
    }
  }

  private mutating func text(_ label: DocumentCell.Label) -> MarkdownText {
    var result = text(label.phrase)
    for _ in 0..<label.depth { result = "↳ " + result }
    if label.isOptional { result = result + " _(optional)_" }
    if let footnote = label.footnote { result = result + " " + mark(ofFootnote: footnote) }
    return result
  }

  /// Returns the mark of a footnote.
  func mark(ofFootnote number: Int) -> MarkdownText { "⁽\(String(number))⁾" }

  /// Returns a phrase as Markdown, without its emphasis.
  mutating func text(_ phrase: Phrase) -> MarkdownText {
    var result: MarkdownText = ""
    for part in phrase.parts {
      switch part {
      case .text(let words, _): result = result + "\(words)"
      case .share(let value, let groups, _): result = result + share(value, of: groups)
      case .interval(let rate): result = result + interval(rate)
      case .arrow: result = result + "→"
      case .segment(let values):
        let cells = segmentCells(values)
        result = result + cells.dropFirst().reduce(cells.first ?? "all") { $0 + " · " + $1 }
      case .absent: result = result + "–"
      case .sparkline(let values, let open):
        result = result + "\(Glyphs.unicode.sparkline(values).text)\(String(repeating: "·", count: open))"
      }
    }
    return result
  }

  private mutating func share(_ share: Double?, of groups: Int?) -> MarkdownText {
    guard let share, share.isFinite else { return "–" }
    let text: MarkdownText = "\(HumanNumbers.percent(share))"
    guard let groups, groups < fewGroupsMax else { return text }
    hasMarkedFew = true
    return text + "\\*"
  }

  private func interval(_ rate: Rate) -> MarkdownText {
    let (low, high) = HumanNumbers.interval(rate)
    return "\(low)–\(high) %"
  }
}
