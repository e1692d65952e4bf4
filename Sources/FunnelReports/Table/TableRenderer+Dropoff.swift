import FunnelProjections

extension TableRenderer {
  /// Prints where the groups of one flow dropped and how they left.
  mutating func printDropoff(of section: FlowSection) {
    let rows = section.dropoff
    guard let first = rows.first else { return }
    guard rows.count == 1 else { return printComparison(rows) }
    if section.funnel.isEmpty {
      if !section.grants.isEmpty { printBlank() }
      if !first.key.segment.isEmpty { printItems([segmentText(first.key)]) }
      printItems([StyledText("\(HumanNumbers.count(first.dropped)) of \(HumanNumbers.count(first.entered)) dropped")])
    }
    let lossy = first.steps.filter { $0.dropped > 0 }
    if !lossy.isEmpty { printGrid(stepGrid(of: lossy, entered: first.entered)) }
    let others = first.steps.filter { $0.dropped == 0 }
    guard !others.isEmpty else { return }
    if lossy.isEmpty { printBlank() }
    let items = others.map { StyledText("\($0.label)", .faint) }
    printItems([StyledText("nobody dropped at: ", .faint) + items[0]] + items.dropFirst())
  }

  private mutating func stepGrid(of steps: [DropoffStepRow], entered: Int) -> TableGrid {
    var grid = TableGrid([
      .init("Dropped at", kind: .label),
      .init("of reached", stacked: ["of", "reached"], kind: .bar, rank: 3),
      .init(""),
      .init("of start", stacked: ["of", "start"], rank: 2),
      .init("Dropped"),
      .init("How they left", kind: .words),
      .init("Median stay", stacked: ["Median", "stay"], rank: 1),
      .init("p90", alone: ["Stay", "p90"], rank: 4),
    ])
    let worst = steps.map(\.dropped).max() ?? 0
    // Drop-off shares are small, so the largest one fills the bar.
    let whole = steps.compactMap(\.shareOfReached).max() ?? 1
    for step in steps {
      grid.rows.append([
        .text(StyledText("\(step.label)")), barCell(step.shareOfReached.map { $0 / whole }, ink: .loss),
        rateCell(step.shareOfReached, of: step.reached),
        rateCell(step.shareOfEntered, of: entered), countCell(step.dropped, ink: step.dropped == worst ? .loss : .plain),
        .words(step.exitsByCount.map { StyledText("\(HumanNumbers.count($0.count)) \($0.kind.word)") }),
        durationCell(step.dwell?.p50), durationCell(step.dwell?.p90, ink: .faint),
      ])
      for last in step.lastElsewhere {
        grid.details.insert(grid.rows.count)
        grid.rows.append([
          .text(StyledText("  \(glyphs.arrow) \(last.label)", .faint)), barCell(nil), .empty, .empty,
          countCell(last.groups, ink: .faint), .words([share(of: last, at: step)]), .empty, .empty,
        ])
      }
    }
    return grid
  }

  /// Returns the share of the groups dropped at a step that visited another step last.
  private mutating func share(of last: LastStep, at step: DropoffStepRow) -> StyledText {
    guard let share = step.share(of: last) else { return none }
    let isFew = step.dropped < fewGroupsMax
    if isFew { hasMarkedFew = true }
    return StyledText("\(HumanNumbers.percent(share))", .faint) + StyledText(isFew ? "*" : "", .caution)
      + StyledText(" last there", .faint)
  }

  private mutating func printComparison(_ rows: [DropoffRow]) {
    var grid = TableGrid([
      .init("Segment", kind: .label),
      .init("Share dropped", kind: .bar, rank: 1),
      .init(""),
      .init("Dropped"),
      .init("Entered", rank: 2),
      .init("Most at", kind: .words, rank: 3),
    ])
    for row in rows {
      let share = row.entered > 0 ? Double(row.dropped) / Double(row.entered) : nil
      let worst = row.steps.max { $0.dropped < $1.dropped }
      let most = worst.flatMap { step -> StyledText? in
        step.dropped > 0 ? StyledText("\(step.label) (\(HumanNumbers.count(step.dropped)))") : nil
      }
      grid.rows.append([
        .text(segmentText(row.key)), barCell(share, ink: .loss), rateCell(share, of: row.entered), countCell(row.dropped),
        countCell(row.entered), .words([most ?? none]),
      ])
    }
    printGrid(grid)
    printMatrix(
      title: "Dropped, of reached", labels: (rows.first?.steps ?? []).map { StyledText("\($0.label)") },
      columns: rows.map { row in
        MatrixColumn(title: segmentValues(row.key), cells: row.steps.map { rateCell($0.shareOfReached, of: $0.reached) })
      })
    printLastSteps(of: rows)
  }

  /// Prints the steps that groups visited last if they differ from the step of the drop-off, as shares of the dropped groups.
  private mutating func printLastSteps(of rows: [DropoffRow]) {
    let pairs = (rows.first?.steps ?? []).enumerated().flatMap { index, step in
      rows.lastElsewhere(step: index).map { (index: index, label: step.label, last: $0) }
    }
    printMatrix(
      title: "Last on, of dropped", labels: pairs.map { StyledText("\($0.label) \(glyphs.arrow) \($0.last.label)") },
      columns: rows.map { row in
        MatrixColumn(
          title: segmentValues(row.key),
          cells: pairs.map { pair in
            guard pair.index < row.steps.count else { return .empty }
            let step = row.steps[pair.index]
            let groups = step.lastElsewhere.first { $0.id == pair.last.id }?.groups ?? 0
            return rateCell(step.share(of: LastStep(id: pair.last.id, label: "", groups: groups)), of: step.dropped)
          })
      })
  }
}
