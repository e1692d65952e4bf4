import FunnelModel
public import FunnelProjections

extension FunnelProjector {
  private var flow: FlowDefinition { query.flow }

  public func rows(from segments: SegmentedCounts) -> [FunnelRow] {
    let returned = query.countsReturned ? segments.whole[ids.returned] : nil
    return segments.sized(by: ids.entered).map { counts in
      FunnelRow(
        key: RowKey(flow: flow, segment: counts.segment),
        title: flow.title,
        windowMilliseconds: query.query.windowMilliseconds(for: flow),
        entered: counts[ids.entered],
        completed: counts[ids.completed],
        inProgress: flow.steps.indices.reduce(0) { $0 + counts[ids.inProgress($1)] },
        dropped: flow.steps.indices.reduce(0) { $0 + counts[ids.dropped($1)] },
        returned: returned,
        finishedOutOfOrder: counts[ids.finishedOutOfOrder],
        inProgressOutOfOrder: counts[ids.inProgressOutOfOrder],
        excluded: query.matcher.hasExclusions ? flow.steps.indices.reduce(0) { $0 + counts[ids.excluded($1)] } : nil,
        conversion: Rate(counts[ids.completed], of: counts[ids.entered]),
        closed: closed(from: counts),
        steps: steps(from: counts))
    }
  }

  private func closed(from counts: SegmentCounts) -> ClosedConversion {
    let entered = counts[ids.entered] - counts[ids.enteredOpen]
    let completed = counts[ids.completed] - counts[ids.completedOpen]
    return ClosedConversion(entered: entered, completed: completed, conversion: Rate(completed, of: entered))
  }

  private func steps(from counts: SegmentCounts) -> [FunnelStepRow] {
    // The number of groups that reached a required step: all except those that ended at an earlier one.
    var reached = counts[ids.entered]
    var previous = reached
    return flow.steps.indices.map { step in
      guard !flow.steps[step].isOptional else { return optionalStep(step, from: counts, previous: previous) }
      let row = FunnelStepRow(
        id: flow.steps[step].id,
        label: flow.steps[step].label,
        isOptional: false,
        reached: reached,
        fromPrevious: Rate.share(reached, of: previous),
        fromStart: Rate.share(reached, of: counts[ids.entered]),
        dropped: counts[ids.dropped(step)],
        inProgress: counts[ids.inProgress(step)],
        timeFromPrevious: counts.quantiles(of: ids.time(step)))
      previous = reached
      reached -= counts[ids.dropped(step)] + counts[ids.inProgress(step)] + counts[ids.excluded(step)]
      return row
    }
  }

  private func optionalStep(_ step: Int, from counts: SegmentCounts, previous: Int) -> FunnelStepRow {
    var row = FunnelStepRow(id: flow.steps[step].id, label: flow.steps[step].label, isOptional: true)
    // If steps may come in any order, an optional step has no position between them.
    guard query.query.order != .any else { return row }
    let reached = counts[ids.optionalReached(step)]
    row.reached = reached
    row.fromPrevious = Rate.share(reached, of: previous)
    row.fromStart = Rate.share(reached, of: counts[ids.entered])
    row.timeFromPrevious = counts.quantiles(of: ids.time(step))
    return row
  }
}
