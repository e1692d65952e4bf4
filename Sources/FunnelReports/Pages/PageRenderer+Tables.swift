import FunnelModel
import FunnelProjections

extension PageRenderer {
  /// Prints a table, with a column for each dimension of the query if its rows have segments.
  ///
  /// A table that is too wide for paper is split into several, each with the labels of the rows.
  mutating func print(_ table: DocumentTable, caption: HTMLText) {
    let hasSegments = table.rows.contains { !$0.segment.isEmpty }
    let dimensions = hasSegments ? document.query.by : []
    let labels = table.columns.indices.filter { table.columns[$0].role == .label }
    let others = table.columns.indices.filter { table.columns[$0].role != .label }
    let widths = TableWidths(
      labels: dimensions.indices.map { index in
        [dimensions[index].description] + table.rows.map { value($0.segment, index).visibleText }
      } + labels.map { texts(of: table, column: $0) },
      columns: others.map { (texts(of: table, column: $0), table.columns[$0].role == .items) })
    let parts = widths.parts { !table.columns[others[$0]].title.alone.isEmpty }
    for (number, part) in parts.enumerated() {
      // The original order is kept: label columns need not come first.
      let columns = table.columns.indices.filter { labels.contains($0) || others[part].contains($0) }
      let first = number == 0 ? nil : others[part].first
      print(
        table, columns: columns, titledAlone: first, dimensions: dimensions,
        caption: parts.count == 1 ? caption : caption + " (part \(String(number + 1)) of \(String(parts.count)))")
    }
  }

  private mutating func print(
    _ table: DocumentTable, columns: [Int], titledAlone first: Int?, dimensions: [Dimension], caption: HTMLText
  ) {
    beginTable(caption: caption)
    for dimension in dimensions { print("<th scope=\"col\" class=\"t\">\(dimension.description)</th>") }
    for index in columns {
      let column = table.columns[index]
      print(column.role == .number ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"t\">")
      print("\(.isolated(index == first ? column.title.asFirst : column.title.text))</th>")
    }
    print("</tr></thead>\n<tbody>\n")
    for row in table.rows {
      print(row.isDetail ? "<tr class=\"detail\">" : "<tr>")
      for index in dimensions.indices { print("<th scope=\"row\">\(value(row.segment, index))</th>") }
      for index in columns { print(row.cells[index], role: table.columns[index].role) }
      print("</tr>\n")
    }
    endTable()
  }

  /// Returns the title of a column and the texts of its cells.
  private mutating func texts(of table: DocumentTable, column: Int) -> [String] {
    var texts = [table.columns[column].title.text]
    for row in table.rows { texts.append(text(row.cells[column]).visibleText) }
    return texts
  }

  /// Prints a matrix as a table with a column for each segment. A matrix that is too wide for paper is split
  /// into several tables.
  mutating func print(_ matrix: DocumentMatrix, caption: HTMLText) {
    let labels = [matrix.title] + matrix.labels.map(\.plainText)
    let columns = matrix.columns.map { column in
      [text(Phrase([.segment(column.segment)])).visibleText] + column.cells.map { text($0).visibleText }
    }
    let parts = TableWidths(labels: [labels], columns: columns.map { ($0, false) }).parts { _ in false }
    for (number, part) in parts.enumerated() {
      print(
        matrix, columns: part,
        caption: parts.count == 1 ? caption : caption + " (part \(String(number + 1)) of \(String(parts.count)))")
    }
  }

  private mutating func print(_ matrix: DocumentMatrix, columns: Range<Int>, caption: HTMLText) {
    beginTable(caption: caption)
    print("<th scope=\"col\" class=\"t\">\(matrix.title)</th>")
    for column in matrix.columns[columns] { print("<th scope=\"col\">\(text(Phrase([.segment(column.segment)])))</th>") }
    print("</tr></thead>\n<tbody>\n")
    for (index, label) in matrix.labels.enumerated() {
      print("<tr><th scope=\"row\">\(text(label))</th>")
      for column in matrix.columns[columns] {
        print(index < column.cells.count ? column.cells[index] : .empty, role: .number)
      }
      print("</tr>\n")
    }
    endTable()
  }

  private mutating func beginTable(caption: HTMLText) {
    // A wide table scrolls within its box. The tab index makes it scrollable with the keyboard.
    print("<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"\(caption)\"><table>\n")
    print("<caption>\(caption)</caption>\n<thead><tr>")
  }

  private mutating func endTable() { print("</tbody>\n</table></div>\n") }

  private mutating func print(_ cell: DocumentCell, role: DocumentTable.Role) {
    if role == .label { return print("<th scope=\"row\">\(text(cell))</th>") }
    if role == .items {
      print("<td class=\"t\">")
    } else if emphasis(of: cell) == .loss {
      print("<td class=\"worst\">")
    } else {
      print("<td>")
    }
    print("\(text(cell))</td>")
  }

  private func emphasis(of cell: DocumentCell) -> Emphasis {
    switch cell {
    case .count(_, let emphasis), .share(_, _, let emphasis), .duration(_, let emphasis), .text(_, let emphasis): emphasis
    default: .plain
    }
  }

  private mutating func text(_ cell: DocumentCell) -> HTMLText {
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
    case .text(let text, _): .isolated(text)
    case .bar(_, let number): text(number)
    }
  }

  private mutating func text(_ label: DocumentCell.Label) -> HTMLText {
    var result = text(label.phrase)
    for _ in 0..<label.depth { result = "↳ " + result }
    if label.isOptional { result = result + " <small>(optional)</small>" }
    if let footnote = label.footnote { result = result + " <small>[\(String(footnote))]</small>" }
    return result
  }

  /// Returns a phrase as HTML.
  mutating func text(_ phrase: Phrase) -> HTMLText {
    var result: HTMLText = ""
    for part in phrase.parts {
      switch part {
      case .text(let words, let emphasis): result = result + emphasized(.isolated(words), emphasis)
      case .share(let value, let groups, let emphasis): result = result + emphasized(share(value, of: groups), emphasis)
      case .interval(let rate): result = result + interval(rate)
      case .arrow: result = result + "→"
      case .segment(let values):
        let cells = values.indices.map { value(values, $0) }
        result = result + (cells.isEmpty ? "all" : joined(cells))
      case .absent: result = result + "–"
      case .sparkline(let values, let open):
        result = result + "\(Glyphs.unicode.sparkline(values).text)\(String(repeating: "·", count: open))"
      }
    }
    return result
  }

  private func emphasized(_ text: HTMLText, _ emphasis: Emphasis) -> HTMLText {
    switch emphasis {
    case .plain: text
    case .strong, .loss: "<strong>\(text)</strong>"
    case .faint: "<span class=\"quiet\">\(text)</span>"
    }
  }

  private func value(_ segment: [PropertyValue], _ index: Int) -> HTMLText {
    guard index < segment.count, segment[index] != .null else { return "<i>(none)</i>" }
    return .isolated(segment[index].segmentLabel)
  }

  private mutating func share(_ share: Double?, of groups: Int?) -> HTMLText {
    guard let share, share.isFinite else { return "–" }
    let text: HTMLText = "\(HumanNumbers.percent(share))"
    guard let groups, groups < fewGroupsMax else { return text }
    hasMarkedFew = true
    return text + "<b>*</b>"
  }

  private func interval(_ rate: Rate) -> HTMLText {
    let (low, high) = HumanNumbers.interval(rate)
    return "\(low)–\(high) %"
  }
}
