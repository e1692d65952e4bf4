import FunnelModel
public import FunnelProjections

extension DropoffProjector {
  private var flow: FlowDefinition { query.flow }

  public func rows(from sheets: Sheets) -> [DropoffRow] {
    sheets.sized(by: slots.entered).map { sheet in
      let steps = steps(from: sheet)
      return DropoffRow(
        key: RowKey(flow: flow, segment: sheet.segment),
        title: flow.title,
        entered: sheet[slots.entered],
        dropped: steps.reduce(0) { $0 + $1.dropped },
        steps: steps)
    }
  }

  private func steps(from sheet: Sheet) -> [DropoffStepRow] {
    var reached = sheet[slots.entered]
    return (0..<slots.placeCount).map { place in
      let step = flow.steps[query.matcher.requiredSteps[place]]
      let exits = ExitKind.allCases.map { sheet[slots.exit($0, at: place)] }
      let dropped = exits.reduce(0, +)
      let row = DropoffStepRow(
        id: step.id,
        label: step.label,
        dropped: dropped,
        shareOfEntered: Rate.share(dropped, of: sheet[slots.entered]),
        shareOfReached: Rate.share(dropped, of: reached),
        exits: exits,
        lastSteps: flow.steps.indices.compactMap { last in
          let groups = sheet[slots.lastStep(last, at: place)]
          return groups == 0 ? nil : LastStep(id: flow.steps[last].id, label: flow.steps[last].label, groups: groups)
        },
        dwell: sheet.quantiles(of: slots.dwell(place)))
      reached -= dropped + sheet[slots.inProgress(place)]
      return row
    }
  }
}
