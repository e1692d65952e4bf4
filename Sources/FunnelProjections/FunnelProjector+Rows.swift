import FunnelJourneys
import FunnelModel

extension FunnelProjector {
  public func rows(from state: State) -> [FunnelRow] {
    rows(from: state.cells, in: state.segments)
  }

  func rows(from cells: SegmentedCells<FunnelCell>, in segments: SegmentIndex) -> [FunnelRow] {
    cells.ordered(in: segments).map { segment, cell in
      FunnelRow(
        key: RowKey(flow: flow, segment: segment),
        title: flow.title,
        windowMilliseconds: windowMilliseconds,
        entered: cell.groupCount,
        completed: cell.completed,
        inProgress: cell.inProgress.reduce(0, +),
        dropped: cell.dropped.reduce(0, +),
        conversion: Rate(cell.completed, of: cell.groupCount),
        steps: steps(of: cell))
    }
  }

  private func steps(of cell: FunnelCell) -> [FunnelStepRow] {
    // Who reached a required step: all, less those who ended at one before it.
    var reached = cell.groupCount
    var previous = cell.groupCount
    return flow.steps.indices.map { step in
      guard !flow.steps[step].isOptional else { return optionalStep(step, of: cell, previous: previous) }
      let row = FunnelStepRow(
        id: flow.steps[step].id,
        label: flow.steps[step].label,
        isOptional: false,
        reached: reached,
        fromPrevious: Rate.share(reached, of: previous),
        fromStart: Rate.share(reached, of: cell.groupCount),
        dropped: cell.dropped[step],
        inProgress: cell.inProgress[step],
        timeFromPrevious: cell.times[step].quantiles)
      previous = reached
      reached -= cell.dropped[step] + cell.inProgress[step]
      return row
    }
  }

  private func optionalStep(_ step: Int, of cell: FunnelCell, previous: Int) -> FunnelStepRow {
    var row = FunnelStepRow(id: flow.steps[step].id, label: flow.steps[step].label, isOptional: true)
    guard countsOptionalSteps else { return row }
    row.reached = cell.optionalReached[step]
    row.fromPrevious = Rate.share(cell.optionalReached[step], of: previous)
    row.fromStart = Rate.share(cell.optionalReached[step], of: cell.groupCount)
    row.timeFromPrevious = cell.times[step].quantiles
    return row
  }
}

extension RowKey {
  init(flow: FlowDefinition, segment: Segment) {
    self.init(app: flow.app, flow: flow.flow, version: flow.version, segment: segment.values)
  }
}
