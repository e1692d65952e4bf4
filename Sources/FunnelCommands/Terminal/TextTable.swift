import FunnelModel

/// A plain text table with aligned columns.
struct TextTable {
  private var rows: [[String]]
  private let numberColumns: Range<Int>

  /// Creates a table with headings, all of whose columns are aligned to the left.
  init(_ headings: [String]) {
    self.init(headings, numberColumns: 0..<0)
  }

  /// Creates a table with headings.
  ///
  /// - Parameter numberColumns: The indices of the columns that are aligned to the right.
  init(_ headings: [String], numberColumns: some RangeExpression<Int>) {
    rows = [headings]
    self.numberColumns = numberColumns.relative(to: headings)
  }

  /// Adds a row, which must have as many cells as there are headings. Control characters are escaped.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == rows[0].count, "a row has a cell for each heading")
    rows.append(cells.map(\.printable))
  }

  /// The table as lines, each with a line feed.
  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return numberColumns.contains(column) ? space + cell : cell + space
      }
      var line = cells.joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
