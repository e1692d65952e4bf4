import FunnelModel

/// A plain text table with aligned columns.
struct TextTable {
  private var rows: [[String]]
  private let numberColumns: Range<Int>

  /// Creates a table with headings.
  ///
  /// - Parameters:
  ///   - alignRightFrom: The index of the first right-aligned column.
  ///   - alignRightUpTo: The index after the last right-aligned column.
  init(_ headings: [String], alignRightFrom: Int, alignRightUpTo: Int = .max) {
    rows = [headings]
    numberColumns = alignRightFrom..<alignRightUpTo
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
