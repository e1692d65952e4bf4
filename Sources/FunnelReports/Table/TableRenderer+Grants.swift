import FunnelProjections

extension TableRenderer {
  /// One line of the permission tables: a permission, or one of its segments.
  private struct Line {
    var label: StyledText
    var row: GrantRow?
  }

  /// Prints how the permissions of one flow were answered: the rates, then the counts, then the notes on the meaning of `granted`.
  mutating func printGrants(_ rows: [GrantRow]) {
    guard !rows.isEmpty else { return }
    var notes: [String] = []
    for row in rows {
      if let note = row.note, !notes.contains(note) { notes.append(note) }
    }
    let lines = lines(of: rows, notes: notes)
    let isClosedShown = rows.contains(where: \.hasManyUnderWay)
    printGrid(rateGrid(of: lines, isClosedShown: isClosedShown))
    if isClosedShown { printClosedNote() }
    printCounts(of: lines)
    if !notes.isEmpty { printBlank() }
    for (index, note) in notes.enumerated() {
      printSentence("granted means: \(note)", mark: StyledText("  [\(String(index + 1))] ", .caution), ink: .faint)
    }
  }

  private func lines(of rows: [GrantRow], notes: [String]) -> [Line] {
    var permissions: [String] = []
    for row in rows where !permissions.contains(row.permission) { permissions.append(row.permission) }
    return permissions.flatMap { permission -> [Line] in
      let own = rows.filter { $0.permission == permission }
      var label = StyledText("\(permission)")
      if let note = own.first?.note, let index = notes.firstIndex(of: note) {
        label += StyledText(" [\(String(index + 1))]", .caution)
      }
      if own.count == 1, own[0].key.segment.isEmpty {
        return [Line(label: label, row: own[0])]
      }
      return [Line(label: label)] + own.map { Line(label: StyledText("  ") + segmentText($0.key), row: $0) }
    }
  }

  private mutating func rateGrid(of lines: [Line], isClosedShown: Bool) -> TableGrid {
    let closed = isClosedShown ? closedCells(lines.map { $0.row.map { ($0.closed.grantRate, $0.closed.prompted) } }) : []
    var grid = TableGrid([
      .init("Permission", kind: .label),
      .init("Grant rate", kind: .bar, rank: 1),
      .init(""),
      .init("95 % interval", stacked: ["95 %", "interval"], alone: ["Grant rate,", "95 % interval"], rank: 2),
    ])
    if isClosedShown { grid.columns.append(Self.closedColumn) }
    grid.columns += [
      .init("Access rate", stacked: ["Access", "rate"]),
      .init("95 % interval", stacked: ["95 %", "interval"], alone: ["Access rate,", "95 % interval"], rank: 5),
      .init("In dialog", stacked: ["In", "dialog"], rank: 4),
      .init("Median decision", stacked: ["Median", "decision"], rank: 3),
      .init("p90", alone: ["Decision", "p90"], rank: 6),
    ]
    for (index, line) in lines.enumerated() {
      guard let row = line.row else {
        grid.rows.append([.text(line.label)] + Array(repeating: .empty, count: grid.columns.count - 1))
        continue
      }
      let rates = [barCell(row.grantRate?.value), rateCell(row.grantRate), intervalCell(row.grantRate)]
      grid.rows.append(
        [.text(line.label)] + rates + (isClosedShown ? [closed[index]] : []) + [
          rateCell(row.accessRate), intervalCell(row.accessRate), rateCell(row.dialogGrantRate),
          durationCell(row.decisionTime?.p50), durationCell(row.decisionTime?.p90, ink: .faint),
        ])
    }
    return grid
  }

  /// The columns of the counts, and the value of each in a row.
  private static let counts: [(column: TableGrid.Column, value: @Sendable (GrantRow) -> Int?)] = [
    (.init("Prompted"), { $0.prompted }),
    (.init("Granted"), { $0.granted }),
    (.init("Limited"), { $0.limited }),
    (.init("Denied"), { $0.denied }),
    (.init("Skipped"), { $0.skipped }),
    (.init("Unanswered", stacked: ["Un-", "answered"]), { $0.unanswered }),
    (.init("Under way", stacked: ["Under", "way"]), { $0.inProgress }),
    (.init("Recovered"), { $0.recovered }),
    (.init("Unprimed"), { $0.unprimed }),
  ]

  private mutating func printCounts(of lines: [Line]) {
    var grid = TableGrid([.init("Answers", kind: .label)] + Self.counts.map(\.column))
    for line in lines {
      grid.rows.append([.text(line.label)] + Self.counts.map { count in line.row.map { countCell(count.value($0)) } ?? .empty })
    }
    printBlocks(grid.packed(width: style.width))
  }
}
