import FunnelModel

extension HTMLRenderer {
  /// Returns a table, with a column for each dimension of the query if its rows have segments.
  ///
  /// A table that is too wide for paper is split into several, each with the labels of the rows.
  mutating func html(_ table: DocumentTable, caption: HTMLText) -> HTMLText {
    let hasSegments = table.rows.contains { !$0.segment.isEmpty }
    let dimensions = hasSegments ? document.query.by : []
    let labels = table.columns.indices.filter { table.columns[$0].role == .label }
    let others = table.columns.indices.filter { table.columns[$0].role != .label }
    let segmentTexts = dimensions.indices.map { index in
      [dimensions[index].description] + table.rows.map { value(of: $0.segment, at: index).visibleText }
    }
    let widths = TableWidths(
      labels: segmentTexts + labels.map { texts(of: table, column: $0) },
      columns: others.map { (texts(of: table, column: $0), table.columns[$0].role == .items) })
    let ranges = widths.parts { !table.columns[others[$0]].title.alone.isEmpty }
    return ranges.enumerated().map { number, range in
      // The original order is kept: label columns need not come first.
      let columns = table.columns.indices.filter { labels.contains($0) || others[range].contains($0) }
      let first = number == 0 ? nil : others[range].first
      return html(
        table, columns: columns, titledAlone: first, dimensions: dimensions,
        caption: Self.caption(caption, number + 1, of: ranges.count))
    }.joined()
  }

  private mutating func html(
    _ table: DocumentTable, columns: [Int], titledAlone first: Int?, dimensions: [Dimension], caption: HTMLText
  ) -> HTMLText {
    precondition(
      table.rows.allSatisfy { $0.cells.count == table.columns.count }, "each row has a cell for each column")
    return Self.table(caption: caption) {
      for dimension in dimensions { Self.heading("\(dimension.description)", isText: true) }
      for index in columns {
        let title = table.columns[index].title
        Self.heading(.isolated(index == first ? title.asFirst : title.text), isText: table.columns[index].role != .number)
      }
    } rows: {
      for row in table.rows {
        HTMLElement("tr", ["class": row.isDetail ? "detail" : nil], .line) {
          for index in dimensions.indices { Self.rowHeading(value(of: row.segment, at: index)) }
          for index in columns { html(row.cells[index], role: table.columns[index].role, of: row.segment) }
        }
      }
    }
  }

  /// Returns the title of a column and the texts of its cells.
  private mutating func texts(of table: DocumentTable, column: Int) -> [String] {
    [table.columns[column].title.text] + table.rows.map { text($0.cells[column]).visibleText }
  }

  /// Returns a matrix as a table with a column for each segment. A matrix that is too wide for paper is split
  /// into several tables.
  mutating func html(_ matrix: DocumentMatrix, caption: HTMLText) -> HTMLText {
    let labels = [matrix.title] + matrix.labels.map(\.plainText)
    let columns = matrix.columns.map { column in
      [text(Phrase([.segment(column.segment)])).visibleText] + column.cells.map { text($0).visibleText }
    }
    let ranges = TableWidths(labels: [labels], columns: columns.map { ($0, false) }).parts { _ in false }
    return ranges.enumerated().map { number, range in
      html(matrix, columns: range, caption: Self.caption(caption, number + 1, of: ranges.count))
    }.joined()
  }

  private mutating func html(_ matrix: DocumentMatrix, columns: Range<Int>, caption: HTMLText) -> HTMLText {
    let columns = matrix.columns[columns]
    return Self.table(caption: caption) {
      Self.heading("\(matrix.title)", isText: true)
      for column in columns { Self.heading(text(Phrase([.segment(column.segment)])), isText: false) }
    } rows: {
      for (index, label) in matrix.labels.enumerated() {
        HTMLElement("tr", [:], .line) {
          Self.rowHeading(text(label))
          for column in columns { html(column.cells[index], role: .number, of: column.segment) }
        }
      }
    }
  }

  /// Returns the caption of one of several parts of a table.
  private static func caption(_ caption: HTMLText, _ number: Int, of count: Int) -> HTMLText {
    precondition((1...count).contains(number), "the part is one of all parts")
    return count == 1 ? caption : "\(caption) (part \(String(number)) of \(String(count)))"
  }

  private mutating func html(_ cell: DocumentCell, role: DocumentTable.Role, of segment: [PropertyValue]) -> HTMLElement {
    let content = linkedText(cell, of: segment)
    switch role {
    case .label: return Self.rowHeading(content)
    case .items: return HTMLElement("td", ["class": "t"]) { content }
    case .number: return HTMLElement("td", ["class": cell.emphasis == .loss ? "worst" : nil]) { content }
    }
  }
}

extension HTMLRenderer {
  /// Returns the text of a cell, as a link to the people that its number counts if the page has lists of people.
  private mutating func linkedText(_ cell: DocumentCell, of segment: [PropertyValue]) -> HTMLText {
    switch cell {
    case .bar(_, let number): return linkedText(number, of: segment)
    case .linked(let state, let number):
      let content = text(number)
      guard let target = peopleTarget(state, of: segment) else { return content }
      return HTMLElement("a", ["href": "\(target)", "class": "people"]) { content }.html
    default: return text(cell)
    }
  }

  /// Returns the percent-encoded path of the list of people, or `nil` if the page has no lists of people.
  func peopleTarget(_ state: PeopleState, of segment: [PropertyValue]) -> String? {
    guard let flow = currentFlow else { return nil }
    return frame.peopleTarget?(PeopleReference(flow: flow, segment: segment, state: state))
  }

  /// Returns a table that scrolls within its box if it is too wide. The tab index makes it scrollable with the keyboard.
  package static func table(
    caption: HTMLText, @HTMLBuilder headings: () -> HTMLText, @HTMLBuilder rows: () -> HTMLText
  ) -> HTMLText {
    HTMLElement("div", ["class": "scroll", "role": "group", "tabindex": "0", "aria-label": caption], .line) {
      HTMLElement("table", [:], .lines) {
        HTMLElement("caption", [:], .line) { caption }
        HTMLElement("thead", [:], .line) { HTMLElement("tr") { headings() } }
        HTMLElement("tbody", [:], .block) { rows() }
      }
    }.html
  }

  /// Returns the heading of a column.
  ///
  /// - Parameter isText: Whether the column contains text, which is aligned at its start.
  package static func heading(_ title: HTMLText, isText: Bool) -> HTMLElement {
    HTMLElement("th", ["scope": "col", "class": isText ? "t" : nil]) { title }
  }

  /// Returns the cell that names a row.
  package static func rowHeading(_ content: HTMLText) -> HTMLElement {
    HTMLElement("th", ["scope": "row"]) { content }
  }
}

extension DocumentCell {
  /// The emphasis of a number or a text. Other cells have none.
  fileprivate var emphasis: Emphasis {
    switch self {
    case .count(_, let emphasis), .share(_, _, let emphasis), .duration(_, let emphasis), .text(_, let emphasis): emphasis
    case .bar(_, let number), .linked(_, let number): number.emphasis
    case .empty, .label, .interval, .rateOfGroups, .items: .plain
    }
  }
}
