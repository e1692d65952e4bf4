import FunnelProjections

extension TableRenderer {
  /// Prints the funnel of one flow step by step, or its segments side by side.
  mutating func printFunnel(_ rows: [FunnelRow]) {
    guard let first = rows.first else { return }
    guard rows.count == 1 else { return printComparison(rows) }
    if !first.key.segment.isEmpty { printItems([segmentText(first.key)]) }
    printItems(summary(of: first))
    if first.hasManyUnderWay { printClosed(first) }
    printGrid(stepGrid(of: first))
  }

  private mutating func summary(of row: FunnelRow) -> [StyledText] {
    var items = [
      StyledText(
        "\(HumanNumbers.count(row.entered)) entered \(glyphs.arrow) \(HumanNumbers.count(row.completed)) completed")
    ]
    if let rate = row.conversion {
      items.append(markedRate(rate) + StyledText(" conversion (95 % interval \(interval(rate)))"))
    }
    items.append(StyledText("\(HumanNumbers.count(row.dropped)) dropped"))
    // If many are under way, they are printed with the rate of the closed groups.
    if !row.hasManyUnderWay { items.append(StyledText("\(HumanNumbers.count(row.inProgress)) under way")) }
    return items
  }

  private func stepGrid(of row: FunnelRow) -> TableGrid {
    var grid = TableGrid([
      .init("Step", kind: .label),
      .init("Reached", kind: .bar, rank: 1),
      .init(""),
      .init("of start", stacked: ["of", "start"]),
      .init("of previous", stacked: ["of", "prev."], rank: 2),
      .init("Dropped"),
      .init("Under way", stacked: ["Under", "way"], rank: 3),
      .init("Median time", stacked: ["Median", "time"], rank: 4),
      .init("p90", alone: ["Time", "p90"], rank: 5),
      .init("p99", alone: ["Time", "p99"], rank: 6),
    ])
    let previous = row.previousReached
    let worst = row.steps.compactMap(\.dropped).max() ?? 0
    for (index, step) in row.steps.enumerated() {
      let ink: Ink = step.isOptional ? .faint : .plain
      grid.rows.append([
        .text(StyledText("\(step.label)", ink)),
        barCell(step.fromStart, isLight: step.isOptional, ink: step.isOptional ? .faint : .bar),
        countCell(step.reached, ink: ink),
        rateCell(step.fromStart, of: row.entered, ink: ink),
        index == 0 ? .rate(StyledText(), few: false) : rateCell(step.fromPrevious, of: previous[index], ink: ink),
        step.isOptional
          ? .text(StyledText("optional", .faint)) : countCell(step.dropped, ink: step.dropped == worst ? .loss : .plain),
        step.isOptional ? .empty : countCell(step.inProgress),
        index == 0 ? .empty : durationCell(step.timeFromPrevious?.p50, ink: ink),
        index == 0 ? .empty : durationCell(step.timeFromPrevious?.p90, ink: .faint),
        index == 0 ? .empty : durationCell(step.timeFromPrevious?.p99, ink: .faint),
      ])
    }
    return grid
  }

  private mutating func printComparison(_ rows: [FunnelRow]) {
    let isClosedShown = rows.contains(where: \.hasManyUnderWay)
    let closed = isClosedShown ? closedCells(rows.map { ($0.closed.conversion, $0.closed.entered) }) : []
    var grid = TableGrid([
      .init("Segment", kind: .label),
      .init("Conversion", kind: .bar, rank: 1),
      .init(""),
      .init("95 % interval", stacked: ["95 %", "interval"], rank: 2),
    ])
    if isClosedShown { grid.columns.append(Self.closedColumn) }
    grid.columns += [
      .init("Entered"),
      .init("Completed", rank: 3),
      .init("Dropped", rank: 4),
      .init("Under way", stacked: ["Under", "way"], rank: 5),
    ]
    for (index, row) in rows.enumerated() {
      let rates = [barCell(row.conversion?.value), rateCell(row.conversion), intervalCell(row.conversion)]
      grid.rows.append(
        [.text(segmentText(row.key))] + rates + (isClosedShown ? [closed[index]] : []) + [
          countCell(row.entered), countCell(row.completed), countCell(row.dropped),
          countCell(row.inProgress),
        ])
    }
    printGrid(grid)
    if isClosedShown { printClosedNote() }
    printMatrix(
      title: "Reached, of start",
      labels: (rows.first?.steps ?? []).map { (StyledText("\($0.label)", $0.isOptional ? .faint : .plain)) },
      columns: rows.map { row in
        MatrixColumn(
          title: segmentValues(row.key),
          cells: row.steps.map { rateCell($0.fromStart, of: row.entered, ink: $0.isOptional ? .faint : .plain) })
      })
  }
}
