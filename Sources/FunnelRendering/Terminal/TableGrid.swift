/// A text table that fits its columns into a width. Columns of low importance are dropped first, and bars fill
/// the remaining width.
///
/// The first column contains the row labels. ``blocks(width:)`` returns the table for output: first the columns
/// that fit, then the others.
///
///     var grid = TableGrid([.init("step", kind: .label), .init("entered"), .init("95 % interval", rank: 4)])
///     grid.rows.append([.text(label), .text(count), .text(interval)])
///     for block in grid.blocks(width: 100) { lines += block.grid.lines(block.fit, glyphs: .ascii) }
struct TableGrid {
  /// A column.
  struct Column {
    /// The content of a column, which decides its alignment and width.
    enum Kind {
      /// Left-aligned text, wrapped and truncated if necessary.
      case label
      /// Right-aligned text, never truncated.
      case number
      /// A bar that fills the remaining room.
      case bar
      /// A list of items that wraps.
      case words

      var alignment: StyledText.Alignment { self == .number ? .right : .left }
    }

    /// The title, in one line unless it is too long.
    var titleLines: [TerminalText]
    /// The title in several lines, for narrow columns.
    var stackedTitle: [TerminalText]
    /// The title for a block without the preceding columns, if the other titles would be unclear there.
    var titleAlone: StackedTitle?
    var kind: Kind
    /// The priority of removal: the column with the highest rank is dropped first. Columns of rank 0 are
    /// required, and are dropped last.
    var rank: Int

    init(
      _ title: TerminalText, stacked: [TerminalText] = [], alone: [TerminalText] = [], kind: Kind = .number, rank: Int = 0
    ) {
      titleLines = [title]
      stackedTitle = stacked.isEmpty ? [title] : stacked
      titleAlone = alone.isEmpty ? nil : StackedTitle(lines: alone)
      self.kind = kind
      self.rank = rank
    }
  }

  /// A title in several lines.
  struct StackedTitle {
    var lines: [TerminalText]

    /// Returns the lines joined by blanks.
    func joined() -> TerminalText { lines.dropFirst().reduce(lines.first ?? "") { $0 + " " + $1 } }
  }

  /// A cell.
  enum Cell {
    case text(StyledText)
    /// A rate. `few` marks a rate of few groups.
    case rate(StyledText, few: Bool)
    case bar(Double, isLight: Bool, ink: Ink)
    case words([StyledText])

    static let empty = Cell.text(StyledText())
  }

  var columns: [Column]
  var rows: [[Cell]] = []
  /// The indices of detail rows, which only add to the preceding row. A block in which a detail row has no cell
  /// omits it.
  var details: Set<Int> = []

  init(_ columns: [Column]) {
    precondition(!columns.isEmpty, "the first column has the labels of the rows")
    self.columns = columns
  }

  /// Returns whether one of the columns contains a rate of few groups.
  func hasFewMark(in indices: [Int]) -> Bool {
    rows.contains { row in
      indices.contains { index in
        if case .rate(_, few: true) = row[index] { true } else { false }
      }
    }
  }
}

extension TableGrid.Cell {
  /// The width of the cell if it is neither truncated nor wrapped.
  var naturalWidth: Int {
    switch self {
    case .text(let text): text.width
    case .rate(let text, let few): text.width + (few ? 1 : 0)
    case .bar: 0
    case .words(let items): items.reduce(0) { $0 + $1.width } + 2 * max(items.count - 1, 0)
    }
  }
}
