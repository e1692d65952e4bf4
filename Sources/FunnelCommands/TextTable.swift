import FunnelModel

/// A plain table of short cells, for lists of the tool's own things.
struct TextTable {
  private var rows: [[String]]
  private let alignRightFrom: Int

  /// A table with these headings; columns from `alignRightFrom` on hold numbers.
  init(_ headings: [String], alignRightFrom: Int) {
    rows = [headings]
    self.alignRightFrom = alignRightFrom
  }

  /// Adds a row. Whatever can't be shown in a cell is made visible.
  mutating func add(_ cells: [String]) {
    rows.append(cells.map(\.printable))
  }

  /// The lines, each with its line break.
  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return column >= alignRightFrom ? space + cell : cell + space
      }
      var line = cells.joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
