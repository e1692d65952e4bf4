import FunnelModel
public import FunnelProjections

extension FunnelProjector {
  private var flow: FlowDefinition { query.flow }

  public func rows(from segments: SegmentedCounts) -> [FunnelRow] {
    let returned = query.countsReturned ? segments.whole[slots.returned] : nil
    return segments.sized(by: slots.entered).map { counts in
      FunnelRow(
        key: RowKey(flow: flow, segment: counts.segment),
        title: flow.title,
        windowMilliseconds: query.query.windowMilliseconds(for: flow),
        entered: counts[slots.entered],
        completed: counts[slots.completed],
        inProgress: flow.steps.indices.reduce(0) { $0 + counts[slots.inProgress($1)] },
        dropped: flow.steps.indices.reduce(0) { $0 + counts[slots.dropped($1)] },
        returned: returned,
        finishedOutOfOrder: counts[slots.finishedOutOfOrder],
        inProgressOutOfOrder: counts[slots.inProgressOutOfOrder],
        excluded: query.matcher.hasExclusions ? flow.steps.indices.reduce(0) { $0 + counts[slots.excluded($1)] } : nil,
        conversion: Rate(counts[slots.completed], of: counts[slots.entered]),
        closed: closed(from: counts),
        steps: steps(from: counts))
    }
  }

  private func closed(from counts: SegmentCounts) -> ClosedConversion {
    let entered = counts[slots.entered] - counts[slots.enteredOpen]
    let completed = counts[slots.completed] - counts[slots.completedOpen]
    return ClosedConversion(entered: entered, completed: completed, conversion: Rate(completed, of: entered))
  }

  private func steps(from counts: SegmentCounts) -> [FunnelStepRow] {
    // The number of groups that reached a required step: all, less those that ended at an earlier one.
    var reached = counts[slots.entered]
    var previous = reached
    return flow.steps.indices.map { step in
      guard !flow.steps[step].isOptional else { return optionalStep(step, from: counts, previous: previous) }
      let row = FunnelStepRow(
        id: flow.steps[step].id,
        label: flow.steps[step].label,
        isOptional: false,
        reached: reached,
        fromPrevious: Rate.share(reached, of: previous),
        fromStart: Rate.share(reached, of: counts[slots.entered]),
        dropped: counts[slots.dropped(step)],
        inProgress: counts[slots.inProgress(step)],
        timeFromPrevious: counts.quantiles(of: slots.time(step)))
      previous = reached
      reached -= counts[slots.dropped(step)] + counts[slots.inProgress(step)] + counts[slots.excluded(step)]
      return row
    }
  }

  private func optionalStep(_ step: Int, from counts: SegmentCounts, previous: Int) -> FunnelStepRow {
    var row = FunnelStepRow(id: flow.steps[step].id, label: flow.steps[step].label, isOptional: true)
    // If steps come in any order, an optional step has no place between them.
    guard query.query.order != .any else { return row }
    let reached = counts[slots.optionalReached(step)]
    row.reached = reached
    row.fromPrevious = Rate.share(reached, of: previous)
    row.fromStart = Rate.share(reached, of: counts[slots.entered])
    row.timeFromPrevious = counts.quantiles(of: slots.time(step))
    return row
  }
}
