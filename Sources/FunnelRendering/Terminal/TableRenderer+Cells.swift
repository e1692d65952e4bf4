import FunnelModel

extension TableRenderer {
  /// Returns the grid of a table. A column with bars becomes two: the bars and the numbers.
  mutating func grid(of table: DocumentTable) -> TableGrid {
    var grid = TableGrid(table.columns.flatMap { gridColumns(of: $0) })
    let aligned = table.columns.indices.map { alignedCells(of: table, column: $0) }
    for (position, row) in table.rows.enumerated() {
      if row.isDetail { grid.details.insert(position) }
      grid.rows.append(
        table.columns.indices.flatMap { index -> [TableGrid.Cell] in
          if let cells = aligned[index] { return [cells[position]] }
          return gridCells(of: row.cells[index], hasBar: table.columns[index].hasBar)
        })
    }
    return grid
  }

  private func gridColumns(of column: DocumentTable.Column) -> [TableGrid.Column] {
    let title = column.title
    func gridColumn(_ kind: TableGrid.Column.Kind) -> TableGrid.Column {
      TableGrid.Column(
        "\(title.inLine)", stacked: title.stacked.map { "\($0)" }, alone: title.alone.map { "\($0)" }, kind: kind,
        rank: column.priority.rank)
    }
    if column.hasBar { return [gridColumn(.bar), TableGrid.Column("")] }
    switch column.role {
    case .label: return [gridColumn(.label)]
    case .items: return [gridColumn(.words)]
    case .number: return [gridColumn(.number)]
    }
  }

  private mutating func gridCells(of cell: DocumentCell, hasBar: Bool) -> [TableGrid.Cell] {
    guard hasBar else { return [gridCell(cell)] }
    guard case .bar(let bar, let number) = cell else { return [.bar(0, isLight: false, ink: .bar), gridCell(cell)] }
    let share = bar.share.map { $0.isFinite ? $0 : 0 } ?? 0
    return [.bar(share, isLight: bar.color == .light, ink: Ink(bar.color)), gridCell(number)]
  }

  /// Returns the cell of a grid for a cell without a bar.
  mutating func gridCell(_ cell: DocumentCell) -> TableGrid.Cell {
    switch cell {
    case .empty: .empty
    case .label(let label): .text(labelText(label))
    case .count(let count, let emphasis): .text(count.map { self.count($0, ink: Ink(emphasis)) } ?? none)
    case .share(let share, let groups, let emphasis): rateCell(share, of: groups, ink: Ink(emphasis))
    case .interval(let rate): .text(rate.map { StyledText(interval($0), .faint) } ?? none)
    case .duration(let milliseconds, let emphasis):
      .text(milliseconds.map { StyledText("\(HumanNumbers.duration(milliseconds: $0))", Ink(emphasis)) } ?? none)
    case .items(let items): .words(items.map { styled($0) })
    case .text(let text, let emphasis): .text(StyledText("\(text)", Ink(emphasis)))
    case .bar(_, let number), .linked(_, let number): gridCell(number)
    case .rateOfGroups: preconditionFailure("rates of groups are aligned in their column")
    }
  }

  private mutating func labelText(_ label: DocumentCell.Label) -> StyledText {
    let text = styled(label.phrase)
    let ink = text.spans.first { !$0.text.text.isEmpty }?.ink ?? .plain
    var result = label.depth == 0 ? text : StyledText(TerminalText(" ").repeated(2 * label.depth), ink) + text
    if let footnote = label.footnote { result += StyledText(" [\(String(footnote))]", .caution) }
    return result
  }

  /// Returns the cells of a column of rates with numbers of groups, aligned on the number, or `nil` for other
  /// columns.
  private mutating func alignedCells(of table: DocumentTable, column: Int) -> [TableGrid.Cell]? {
    let cells = table.rows.map { row -> (rate: Rate?, groups: Int)? in
      if case .rateOfGroups(let rate, let groups) = row.cells[column] { (rate, groups) } else { nil }
    }
    guard cells.contains(where: { $0 != nil }) else { return nil }
    let counts = cells.map { $0.map { StyledText("\(HumanNumbers.count($0.groups))") } ?? StyledText() }
    let countWidth = counts.map(\.width).max() ?? 0
    func isFew(_ entry: (rate: Rate?, groups: Int)) -> Bool {
      entry.rate != nil && entry.groups > 0 && entry.groups < fewGroupsMax
    }
    let hasFew = cells.contains { $0.map(isFew) ?? false }
    if hasFew { hasMarkedFew = true }
    return zip(cells, counts).map { entry, count in
      guard let entry else { return .empty }
      var text = entry.rate.map { StyledText("\(HumanNumbers.percent($0.value))") } ?? none
      if hasFew { text += isFew(entry) ? StyledText("*", .caution) : StyledText(" ") }
      return .text(text + StyledText(" of ", .faint) + count.padded(to: countWidth, .right))
    }
  }
}

extension Ink {
  /// The ink of a bar.
  init(_ color: DocumentCell.Color) {
    switch color {
    case .regular: self = .bar
    case .loss: self = .loss
    case .light: self = .faint
    }
  }
}
