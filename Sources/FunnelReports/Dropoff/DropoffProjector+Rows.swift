import FunnelModel
public import FunnelProjections

extension DropoffProjector {
  private var flow: FlowDefinition { query.flow }

  public func rows(from segments: SegmentedCounts) -> [DropoffRow] {
    segments.sized(by: slots.entered).map { counts in
      let steps = steps(from: counts)
      return DropoffRow(
        key: RowKey(flow: flow, segment: counts.segment),
        title: flow.title,
        entered: counts[slots.entered],
        dropped: steps.reduce(0) { $0 + $1.dropped },
        inProgress: steps.reduce(0) { $0 + $1.inProgress },
        excluded: query.matcher.hasExclusions
          ? (0..<slots.placeCount).reduce(0) { $0 + counts[slots.excluded($1)] } : nil,
        steps: steps)
    }
  }

  private func steps(from counts: SegmentCounts) -> [DropoffStepRow] {
    let closedCompleted = counts[slots.completed] - counts[slots.completedOpen]
    var reached = counts[slots.entered]
    var closedReached = reached - counts[slots.enteredOpen]
    return (0..<slots.placeCount).map { place in
      let step = flow.steps[query.matcher.requiredSteps[place]]
      let exits = ExitKind.allCases.map { counts[slots.exit($0, at: place)] }
      let dropped = exits.reduce(0, +)
      let ended = dropped + counts[slots.inProgress(place)] + counts[slots.excluded(place)]
      let closed = ClosedDropoff(reached: closedReached, dropped: dropped - counts[slots.droppedOpen(place)])
      closedReached -= ended - counts[slots.lastMatchedOpen(place)]
      let row = DropoffStepRow(
        id: step.id,
        label: step.label,
        dropped: dropped,
        shareOfEntered: Rate.share(dropped, of: counts[slots.entered]),
        shareOfReached: Rate.share(dropped, of: reached),
        reached: reached,
        inProgress: counts[slots.inProgress(place)],
        closed: closed,
        lostCompletions: closed.lostCompletions(completed: closedCompleted, reachedNext: closedReached),
        exits: exits,
        lastSteps: flow.steps.indices.compactMap { last in
          let groups = counts[slots.lastStep(last, at: place)]
          return groups == 0 ? nil : LastStep(id: flow.steps[last].id, label: flow.steps[last].label, groups: groups)
        },
        dwell: counts.quantiles(of: slots.dwell(place)))
      reached -= ended
      return row
    }
  }
}
