import FunnelModel
public import FunnelProjections

extension FunnelProjector {
  private var flow: FlowDefinition { query.flow }

  public func rows(from sheets: Sheets) -> [FunnelRow] {
    sheets.sized(by: slots.entered).map { sheet in
      FunnelRow(
        key: RowKey(flow: flow, segment: sheet.segment),
        title: flow.title,
        windowMilliseconds: query.query.windowMilliseconds(for: flow),
        entered: sheet[slots.entered],
        completed: sheet[slots.completed],
        inProgress: flow.steps.indices.reduce(0) { $0 + sheet[slots.inProgress($1)] },
        dropped: flow.steps.indices.reduce(0) { $0 + sheet[slots.dropped($1)] },
        conversion: Rate(sheet[slots.completed], of: sheet[slots.entered]),
        closed: closed(from: sheet),
        steps: steps(from: sheet))
    }
  }

  private func closed(from sheet: Sheet) -> ClosedConversion {
    let entered = sheet[slots.entered] - sheet[slots.enteredOpen]
    let completed = sheet[slots.completed] - sheet[slots.completedOpen]
    return ClosedConversion(entered: entered, completed: completed, conversion: Rate(completed, of: entered))
  }

  private func steps(from sheet: Sheet) -> [FunnelStepRow] {
    // The number of groups that reached a required step: all, less those that ended at an earlier one.
    var reached = sheet[slots.entered]
    var previous = reached
    return flow.steps.indices.map { step in
      guard !flow.steps[step].isOptional else { return optionalStep(step, from: sheet, previous: previous) }
      let row = FunnelStepRow(
        id: flow.steps[step].id,
        label: flow.steps[step].label,
        isOptional: false,
        reached: reached,
        fromPrevious: Rate.share(reached, of: previous),
        fromStart: Rate.share(reached, of: sheet[slots.entered]),
        dropped: sheet[slots.dropped(step)],
        inProgress: sheet[slots.inProgress(step)],
        timeFromPrevious: sheet.quantiles(of: slots.time(step)))
      previous = reached
      reached -= sheet[slots.dropped(step)] + sheet[slots.inProgress(step)]
      return row
    }
  }

  private func optionalStep(_ step: Int, from sheet: Sheet, previous: Int) -> FunnelStepRow {
    var row = FunnelStepRow(id: flow.steps[step].id, label: flow.steps[step].label, isOptional: true)
    // If steps come in any order, an optional step has no place between them.
    guard query.query.order != .any else { return row }
    let reached = sheet[slots.optionalReached(step)]
    row.reached = reached
    row.fromPrevious = Rate.share(reached, of: previous)
    row.fromStart = Rate.share(reached, of: sheet[slots.entered])
    row.timeFromPrevious = sheet.quantiles(of: slots.time(step))
    return row
  }
}
