/// A table that computes the widths of its columns: the less important ones are dropped first if there is no room, and bars take the
/// rest.
///
/// The first column holds the row labels. ``blocks(width:)`` returns the table as it is printed: first the columns that fit, then the
/// others.
struct TableGrid {
  struct Column {
    enum Kind {
      /// Left-aligned text, wrapped and truncated if necessary.
      case label
      /// Right-aligned text, never truncated.
      case number
      /// A bar that fills the remaining room.
      case bar
      /// A list of items that wraps.
      case words
    }

    /// The title, in one line unless that is too long.
    var titleLines: [TerminalText]
    /// The title in several lines, for narrow columns.
    var stackedTitle: [TerminalText]
    /// The title for a block without the preceding columns, if the other titles would be unclear there.
    var titleAlone: StackedTitle?
    var kind: Kind
    /// The order of removal: the column with the highest rank is dropped first. Columns of rank 0 are needed, and are dropped last.
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

  enum Cell {
    case text(StyledText)
    /// A rate; `few` marks a rate of few groups.
    case rate(StyledText, few: Bool)
    case bar(Double, isLight: Bool, ink: Ink)
    case words([StyledText])

    static let empty = Cell.text(StyledText())
  }

  var columns: [Column]
  var rows: [[Cell]] = []
  /// The indices of detail rows, which only add to the preceding row. A block in which a detail row has no cell omits it.
  var details: Set<Int> = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Whether one of the columns has a rate that is marked as being of few groups.
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
