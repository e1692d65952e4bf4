/// A table in columns that finds its widths: columns that matter less go first where there is no room, bars take what is left.
///
/// The first column holds the labels of the rows. ``blocks(width:)`` gives the table as it is printed: first what fits, then what was left.
struct TableGrid {
  struct Column {
    enum Kind {
      /// Text at the left, cut where it must be.
      case label
      /// Text at the right, never cut.
      case number
      /// A bar that fills what is left.
      case bar
      /// Items that wrap.
      case words
    }

    /// The title, in one line where that is not too long.
    var titleLines: [TerminalText]
    /// The title in lines, for where columns are narrow.
    var stackedTitle: [TerminalText]
    /// The title where the columns before are not there, if the other one would be unclear.
    var titleAlone: StackedTitle?
    var kind: Kind
    /// 0: always there; of the others the highest goes first.
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

  /// A title in lines.
  struct StackedTitle {
    var lines: [TerminalText]

    /// The lines in one.
    func joined() -> TerminalText { lines.dropFirst().reduce(lines.first ?? "") { $0 + " " + $1 } }
  }

  enum Cell {
    case text(StyledText)
    /// A rate; few: it stands on few groups and is marked.
    case rate(StyledText, few: Bool)
    case bar(Double, isLight: Bool, ink: Ink)
    case words([StyledText])

    static let empty = Cell.text(StyledText())
  }

  var columns: [Column]
  var rows: [[Cell]] = []
  /// Rows that only add something to the row before, by index: a block in which they have no cell goes without.
  var details: Set<Int> = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Whether a mark for small numbers stands in one of the columns.
  func hasFewMark(in indices: [Int]) -> Bool {
    rows.contains { row in
      indices.contains { index in
        if case .rate(_, few: true) = row[index] { true } else { false }
      }
    }
  }
}

extension TableGrid.Cell {
  /// Columns the cell would take if it had all the room.
  var naturalWidth: Int {
    switch self {
    case .text(let text): text.width
    case .rate(let text, let few): text.width + (few ? 1 : 0)
    case .bar: 0
    case .words(let items): items.reduce(0) { $0 + $1.width } + 2 * max(items.count - 1, 0)
    }
  }
}
