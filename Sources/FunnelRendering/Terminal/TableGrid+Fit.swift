extension TableGrid {
  /// The columns that fit into a width.
  struct Fit {
    /// A column that fits.
    struct Column {
      /// The index of the column in the table.
      let index: Int
      /// The number of blanks before the column.
      let gap: Int
      let width: Int
      /// The lines of the title before they are wrapped.
      let title: [TerminalText]
    }

    let columns: [Column]
    /// The indices of the columns that did not fit.
    let dropped: [Int]

    /// The indices of the columns that fit.
    var indices: [Int] { columns.map(\.index) }
  }

  /// The number of blanks before the first column.
  static let indent = 2
  /// The number of blanks between two columns.
  static let columnGap = 2
  private static let labelMin = 16
  private static let barMin = 8
  private static let barMax = 48
  /// The width of words once columns have to be dropped.
  static let wordsMin = 22
  /// The width at which words wrap before a column is dropped. Two short items still fit into one line.
  private static let wordsWrapped = 18

  /// The widths that columns require, by kind.
  private struct Demand {
    var cells: [Int]
    var label: Int
    var words: Int
    var bar: Int
  }

  /// Returns the label width that has precedence over extra columns. Labels become wider only if there is room left.
  func labelAmple(width: Int) -> Int { max(Self.labelMin, width / 4) }

  /// Returns the columns that fit into a width, with their widths.
  ///
  /// Extras are dropped before labels are narrowed, and titles are stacked before a column is dropped. If even
  /// the needed columns do not fit, they are dropped too, from the last to the first.
  func fit(width: Int) -> Fit {
    let cells = columns.indices.map { cellWidth(of: $0) }
    let removable = columns.indices.filter { columns[$0].rank > 0 }.sorted {
      (columns[$0].rank, $0) > (columns[$1].rank, $1)
    }
    let extras = removable.filter { columns[$0].rank >= ColumnPriority.extraRankMin }
    let ample = Demand(cells: cells, label: labelAmple(width: width), words: width, bar: Self.barMin)
    let scant = Demand(cells: cells, label: Self.labelMin, words: Self.wordsMin, bar: Self.barMin)
    let needed = columns.indices.dropFirst().filter { columns[$0].rank == 0 && columns[$0].kind != .bar }
    let all = removable + needed.dropFirst().reversed()
    // Words that wrap to a second line are easier to read than a column in a separate table.
    let wrapped = Demand(cells: cells, label: labelAmple(width: width), words: Self.wordsWrapped, bar: Self.barMin)
    let found =
      fit(leavingOut: [], ample, width: width) ?? fit(leavingOut: [], wrapped, width: width)
      ?? fit(leavingOut: extras, ample, width: width) ?? fit(leavingOut: all, scant, width: width)
    if let found { return found }
    // Even the minimum does not fit: keep one column, and use the remaining width for the label.
    let last = Demand(cells: cells, label: 1, words: 1, bar: 0)
    let indices = [0] + needed.prefix(1)
    let widths = widths(of: indices, last, isStacked: true, width: width) ?? indices.map { cells[$0] }
    return fit(indices, widths, isStacked: true)
  }

  /// Returns the fit of some columns with their widths.
  private func fit(_ indices: [Int], _ widths: [Int], isStacked: Bool) -> Fit {
    assert(widths.count == indices.count, "each column has a width")
    let fitted = indices.enumerated().map { position, index in
      Fit.Column(
        index: index, gap: gap(before: position, in: indices), width: widths[position],
        title: titleLines(of: index, among: indices, isStacked: isStacked))
    }
    return Fit(columns: fitted, dropped: columns.indices.filter { !indices.contains($0) })
  }

  private func fit(leavingOut removable: [Int], _ demand: Demand, width: Int) -> Fit? {
    for count in 0...removable.count {
      let dropped = removable.prefix(count)
      let indices = columns.indices.filter { !dropped.contains($0) }
      for isStacked in [false, true] {
        if let widths = widths(of: indices, demand, isStacked: isStacked, width: width) {
          return fit(indices, widths, isStacked: isStacked)
        }
      }
    }
    return nil
  }

  /// Returns the number of blanks before a column: one between a bar and its number.
  private func gap(before position: Int, in indices: [Int]) -> Int {
    assert(indices.indices.contains(position), "the column is one of those that fit")
    if position == 0 { return Self.indent }
    return columns[indices[position - 1]].kind == .bar ? 1 : Self.columnGap
  }

  /// Returns the title of a column. If a bar does not fit, its number has the title of the bar.
  private func titleLines(of index: Int, among indices: [Int], isStacked: Bool) -> [TerminalText] {
    if columns[index].kind == .bar { return columns[index].titleLines }
    let column = followsBar(index) && !indices.contains(index - 1) ? columns[index - 1] : columns[index]
    return isStacked ? column.stackedTitle : column.titleLines
  }

  /// Whether the column is the number that belongs to a bar.
  func followsBar(_ index: Int) -> Bool { index > 0 && columns[index - 1].kind == .bar }

  /// Returns the width of a column that is neither truncated nor wrapped.
  func naturalWidth(of index: Int, _ cells: [Int], isStacked: Bool) -> Int {
    let titles = isStacked ? columns[index].stackedTitle : columns[index].titleLines
    return max(titles.map(\.displayWidth).max() ?? 0, cells[index])
  }

  private func widths(of indices: [Int], _ demand: Demand, isStacked: Bool, width: Int) -> [Int]? {
    let natural = indices.map { index in
      let titles = titleLines(of: index, among: indices, isStacked: isStacked)
      return max(titles.map(\.displayWidth).max() ?? 0, demand.cells[index])
    }
    var widths = natural
    for (position, index) in indices.enumerated() {
      switch columns[index].kind {
      case .label: widths[position] = min(natural[position], demand.label)
      case .words: widths[position] = min(natural[position], demand.words)
      case .bar: widths[position] = max(natural[position], demand.bar)
      case .number: break
      }
    }
    var room = width - widths.reduce(0, +) - indices.indices.reduce(0) { $0 + gap(before: $1, in: indices) }
    guard room >= 0 else { return nil }
    for kind in [Column.Kind.label, .words, .bar] {
      for (position, index) in indices.enumerated() where columns[index].kind == kind {
        let wanted =
          switch kind {
          case .bar: Self.barMax
          // A label does not need more than a third of the line.
          case .label: min(natural[position], width / 3)
          case .words, .number: natural[position]
          }
        let more = min(room, max(wanted - widths[position], 0))
        widths[position] += more
        room -= more
      }
    }
    return widths
  }

  /// Returns the width of a column's widest cell.
  func cellWidth(of index: Int) -> Int {
    let hasFewMark = hasFewMark(in: [index])
    return rows.reduce(0) { width, row in
      if case .rate(let text, _) = row[index] {
        max(width, text.width + (hasFewMark ? 1 : 0))
      } else {
        max(width, row[index].naturalWidth)
      }
    }
  }
}
