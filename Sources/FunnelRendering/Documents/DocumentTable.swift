package import FunnelModel

/// A table of typed columns, independent of the output format.
package struct DocumentTable {
  /// The properties of a column.
  package struct Column {
    package var title: ColumnTitle
    package var priority: ColumnPriority
    /// The content of the column, which decides its alignment: numbers at their end, all other cells at their start.
    package var role: Role
    /// Whether a bar is drawn beside the numbers.
    package var hasBar: Bool
  }

  /// The content of a column.
  package enum Role {
    /// The name of the row.
    case label
    /// Several items.
    case items
    case number
  }

  /// A row, with a cell for each column.
  package struct Row {
    /// The segment of the row. Empty if the query has no dimensions, or the label names the segment.
    package var segment: [PropertyValue]
    package var cells: [DocumentCell]
    /// Whether the row adds a detail to the one above it.
    package var isDetail = false
  }

  package var columns: [Column]
  package var rows: [Row]
  /// Whether a table that is too wide is divided in the order of its columns, instead of by priority.
  package var keepsOrder = false
}

/// The importance of a column, which decides the order in which columns are removed from a table that is too wide.
package struct ColumnPriority: Hashable, Sendable {
  /// The order of removal: columns of the highest rank are removed first, those of rank 0 last.
  let rank: Int

  /// The rank from which a column is removed before labels are narrowed.
  static let extraRankMin = 4

  /// A column that is removed only after all others.
  package static let essential = ColumnPriority(rank: 0)

  /// A column that is removed only if the table is too wide even with narrow labels.
  ///
  /// - Parameter order: The order among the regular columns, from 1 for the one that is removed last to 3.
  package static func regular(_ order: Int) -> ColumnPriority {
    precondition((1..<extraRankMin).contains(order), "a regular column is not an extra one")
    return ColumnPriority(rank: order)
  }

  /// A column that is removed before labels are narrowed.
  ///
  /// - Parameter order: The order among the extra columns, from 1 for the one that is removed last.
  package static func extra(_ order: Int) -> ColumnPriority {
    precondition(order >= 1, "the order begins with 1")
    return ColumnPriority(rank: extraRankMin - 1 + order)
  }
}

/// The title of a column, in variants for different widths.
package struct ColumnTitle: ExpressibleByStringLiteral {
  /// The title as a heading.
  package var text: String
  /// The title beside others in one line.
  package var inLine: String
  /// The title in several lines, for narrow columns.
  package var stacked: [String]
  /// The title, in lines, for use without the preceding columns that give it context. Empty if it needs no context.
  package var alone: [String]

  package init(_ text: String, inLine: String? = nil, stacked: [String] = [], alone: [String] = []) {
    self.text = text
    self.inLine = inLine ?? text
    self.stacked = stacked.isEmpty ? [self.inLine] : stacked
    self.alone = alone
  }

  package init(stringLiteral text: String) { self.init(text) }
}

/// A column of a table, with a function that returns its cell for a line.
///
///     let columns: [TableColumn<StepRow>] = [
///       .label("step") { .label($0.title) },
///       .count("entered") { $0.entered },
///       .interval(priority: .extra(1)) { $0.conversion },
///     ]
///     let table = DocumentTable(columns, rows: steps.map { (segment: [], line: $0) })
package struct TableColumn<Line> {
  package let column: DocumentTable.Column
  package let cell: (Line) -> DocumentCell

  package init(
    _ title: ColumnTitle, role: DocumentTable.Role = .number, priority: ColumnPriority = .essential, hasBar: Bool = false,
    _ cell: @escaping (Line) -> DocumentCell
  ) {
    column = DocumentTable.Column(title: title, priority: priority, role: role, hasBar: hasBar)
    self.cell = cell
  }
}

extension TableColumn {
  /// Returns a column of row labels.
  package static func label(_ title: String, _ label: @escaping (Line) -> DocumentCell) -> TableColumn {
    TableColumn(ColumnTitle(title), role: .label, label)
  }

  /// Returns a column of counts.
  package static func count(
    _ title: ColumnTitle, priority: ColumnPriority = .essential, _ count: @escaping (Line) -> Int?
  ) -> TableColumn {
    TableColumn(title, priority: priority) { .count(count($0)) }
  }

  /// Returns a column of the 95 % intervals of rates.
  package static func interval(
    alone: [String] = [], priority: ColumnPriority, _ rate: @escaping (Line) -> Rate?
  ) -> TableColumn {
    TableColumn(ColumnTitle("95 % interval", stacked: ["95 %", "interval"], alone: alone), priority: priority) {
      .interval(rate($0))
    }
  }
}

extension DocumentTable {
  /// Creates a table with a row for each line.
  package init<Line>(_ columns: [TableColumn<Line>], rows lines: [(segment: [PropertyValue], line: Line)]) {
    self.columns = columns.map(\.column)
    precondition(!columns.isEmpty, "a table has columns")
    rows = lines.map { line in Row(segment: line.segment, cells: columns.map { $0.cell(line.line) }) }
  }
}
