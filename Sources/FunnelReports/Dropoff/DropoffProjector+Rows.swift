import FunnelModel
public import FunnelProjections

extension DropoffProjector {
  private var flow: FlowDefinition { query.flow }

  public func rows(from segments: SegmentedCounts) -> [DropoffRow] {
    segments.sized(by: ids.entered).map { counts in
      let steps = steps(from: counts)
      return DropoffRow(
        key: RowKey(flow: flow, segment: counts.segment),
        title: flow.title,
        entered: counts[ids.entered],
        dropped: steps.reduce(0) { $0 + $1.dropped },
        inProgress: steps.reduce(0) { $0 + $1.inProgress },
        excluded: query.matcher.hasExclusions
          ? (0..<ids.placeCount).reduce(0) { $0 + counts[ids.excluded($1)] } : nil,
        steps: steps)
    }
  }

  private func steps(from counts: SegmentCounts) -> [DropoffStepRow] {
    let closedCompleted = counts[ids.completed] - counts[ids.completedOpen]
    var reached = counts[ids.entered]
    var closedReached = reached - counts[ids.enteredOpen]
    return (0..<ids.placeCount).map { index in
      let step = flow.steps[query.matcher.requiredSteps[index]]
      let exits = ExitKind.allCases.map { counts[ids.exit($0, at: index)] }
      let dropped = exits.reduce(0, +)
      let ended = dropped + counts[ids.inProgress(index)] + counts[ids.excluded(index)]
      let closed = ClosedDropoff(reached: closedReached, dropped: dropped - counts[ids.droppedOpen(index)])
      closedReached -= ended - counts[ids.lastMatchedOpen(index)]
      let row = DropoffStepRow(
        id: step.id,
        label: step.label,
        dropped: dropped,
        shareOfEntered: Rate.share(dropped, of: counts[ids.entered]),
        shareOfReached: Rate.share(dropped, of: reached),
        reached: reached,
        inProgress: counts[ids.inProgress(index)],
        closed: closed,
        lostCompletions: closed.lostCompletions(completed: closedCompleted, reachedNext: closedReached),
        exits: exits,
        lastSteps: flow.steps.indices.compactMap { last in
          let groups = counts[ids.lastStep(last, at: index)]
          return groups == 0 ? nil : LastStep(id: flow.steps[last].id, label: flow.steps[last].label, groups: groups)
        },
        dwell: counts.quantiles(of: ids.dwell(index)))
      reached -= ended
      return row
    }
  }
}
