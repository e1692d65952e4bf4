import FunnelModel
import FunnelProjections

/// A column of a table, with a function that returns its cell for a line.
struct TableColumn<Line> {
  let column: DocumentTable.Column
  let cell: (Line) -> DocumentCell

  init(
    _ title: ColumnTitle, role: DocumentTable.Role = .number, rank: Int = 0, hasBar: Bool = false,
    _ cell: @escaping (Line) -> DocumentCell
  ) {
    column = DocumentTable.Column(title: title, rank: rank, role: role, hasBar: hasBar)
    self.cell = cell
  }
}

extension TableColumn {
  /// Returns a column of row labels.
  static func label(_ title: String, _ label: @escaping (Line) -> DocumentCell) -> TableColumn {
    TableColumn(ColumnTitle(title), role: .label, label)
  }

  /// Returns a column of counts.
  static func count(_ title: ColumnTitle, rank: Int = 0, _ count: @escaping (Line) -> Int?) -> TableColumn {
    TableColumn(title, rank: rank) { .count(count($0)) }
  }

  /// Returns a column of the 95 % intervals of rates.
  static func interval(alone: [String] = [], rank: Int, _ rate: @escaping (Line) -> Rate?) -> TableColumn {
    TableColumn(ColumnTitle("95 % interval", stacked: ["95 %", "interval"], alone: alone), rank: rank) { .interval(rate($0)) }
  }
}

extension DocumentTable {
  /// Creates a table with a row for each line.
  init<Line>(_ columns: [TableColumn<Line>], rows lines: [(segment: [PropertyValue], line: Line)]) {
    self.columns = columns.map(\.column)
    rows = lines.map { line in Row(segment: line.segment, cells: columns.map { $0.cell(line.line) }) }
  }
}
