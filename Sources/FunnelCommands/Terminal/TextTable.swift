import FunnelModel

/// A plain text table of short cells.
struct TextTable {
  private var rows: [[String]]
  private let numberColumns: Range<Int>

  /// Creates a table with headings. Columns from `alignRightFrom` up to but not including `alignRightUpTo` are right-aligned.
  init(_ headings: [String], alignRightFrom: Int, alignRightUpTo: Int = .max) {
    rows = [headings]
    numberColumns = alignRightFrom..<alignRightUpTo
  }

  /// Adds a row. Control characters in cells are made visible.
  mutating func add(_ cells: [String]) {
    rows.append(cells.map(\.printable))
  }

  /// The lines, each with its line break.
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
