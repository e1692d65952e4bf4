extension TableGrid {
  /// The columns that stand in a width, and how wide each is.
  struct Fit {
    var indices: [Int]
    var widths: [Int]
    var isStacked: Bool
    /// Columns there was no room for.
    var left: [Int]
  }

  static let indent = 2
  private static let labelMin = 16
  private static let barMin = 8
  private static let barMax = 48
  private static let wordsMin = 22
  /// Columns of this rank and above give way to whole labels and words.
  static let rankOfExtras = 4

  /// What columns may take.
  private struct Demand {
    var cells: [Int]
    var label: Int
    var words: Int
    var bar: Int
  }

  /// Finds what fits: extras go before a label is cut, and titles are stacked before a column goes.
  func fit(width: Int) -> Fit {
    let cells = columns.indices.map { cellWidth(of: $0) }
    let removable = columns.indices.filter { columns[$0].rank > 0 }.sorted {
      (columns[$0].rank, $0) > (columns[$1].rank, $1)
    }
    let extras = removable.filter { columns[$0].rank >= Self.rankOfExtras }
    let ample = Demand(cells: cells, label: max(Self.labelMin, width / 4), words: width, bar: Self.barMin)
    let scant = Demand(cells: cells, label: Self.labelMin, words: Self.wordsMin, bar: Self.barMin)
    if let fit = fit(leavingOut: extras, ample, width: width) ?? fit(leavingOut: removable, scant, width: width) { return fit }
    let last = Demand(cells: cells, label: 1, words: 1, bar: 0)
    let indices = columns.indices.filter { columns[$0].rank == 0 && columns[$0].kind != .bar }
    return Fit(
      indices: indices,
      widths: widths(of: indices, last, isStacked: true, width: width) ?? indices.map { cells[$0] },
      isStacked: true, left: columns.indices.filter { !indices.contains($0) })
  }

  private func fit(leavingOut removable: [Int], _ demand: Demand, width: Int) -> Fit? {
    for count in 0...removable.count {
      let left = removable.prefix(count)
      let indices = columns.indices.filter { !left.contains($0) }
      for isStacked in [false, true] {
        if let widths = widths(of: indices, demand, isStacked: isStacked, width: width) {
          return Fit(indices: indices, widths: widths, isStacked: isStacked, left: left.sorted())
        }
      }
    }
    return nil
  }

  /// Blanks before a column: a bar and its number stand close together.
  func gap(before position: Int, in indices: [Int]) -> Int {
    if position == 0 { return Self.indent }
    return columns[indices[position - 1]].kind == .bar ? 1 : 2
  }

  /// A column's title; the number of a bar that had no room takes over the bar's.
  func titleLines(of index: Int, among indices: [Int], isStacked: Bool) -> [TerminalText] {
    if columns[index].kind == .bar { return [columns[index].title] }
    let followsMissingBar = index > 0 && columns[index - 1].kind == .bar && !indices.contains(index - 1)
    let column = followsMissingBar ? columns[index - 1] : columns[index]
    return isStacked ? column.stackedTitle : [column.title]
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
        // A third of the line is enough for a label.
        let wanted = kind == .bar ? Self.barMax : kind == .label ? min(natural[position], width / 3) : natural[position]
        let more = min(room, max(wanted - widths[position], 0))
        widths[position] += more
        room -= more
      }
    }
    return widths
  }

  private func cellWidth(of index: Int) -> Int {
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
