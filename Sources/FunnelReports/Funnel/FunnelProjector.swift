import FunnelModel
package import FunnelProjections

/// Counts the groups that reach each step of a flow, and measures the time between steps (specification section 3).
package final class FunnelProjector: Projector {
  package static let readsChain = true

  private let query: FlowQuery
  let ids: FunnelCounterIDs

  package init(_ query: FlowQuery) {
    self.query = query
    ids = FunnelCounterIDs(stepCount: query.flow.steps.count)
  }

  package var counterCount: Int { ids.counterCount }
  /// The number of durations: for each step, the time from the match of the previous required step.
  package var durationCount: Int { query.flow.steps.count }

  package func contribute(_ events: GroupEvents, along match: ChainMatch, into contribution: inout Contribution) {
    if match.isReturning, query.countsReturned {
      contribution.beginSection(at: match.anchor)
      contribution.count(ids.returned)
    }
    guard match.isCounted else { return }
    contribution.beginSection(at: match.anchor)
    contributeEnding(of: events, along: match, into: &contribution)
    let matcher = query.matcher
    for index in 1..<max(1, match.matchedStepCount) {
      contribution.time(matcher.requiredSteps[index], from: match[index - 1], to: match[index])
    }
    for optional in matcher.optionalSteps {
      guard let entry = matcher.entry(of: optional, in: events, along: match) else { continue }
      contribution.count(ids.optionalReached[optional.step])
      guard let previous = optional.previous else { continue }
      contribution.time(optional.step, from: match[previous], to: entry)
    }
  }

  /// Counts the group as entered, and once as completed, dropped, in progress or excluded.
  @inline(__always)
  private func contributeEnding(
    of events: GroupEvents, along match: ChainMatch, into contribution: inout Contribution
  ) {
    assert(match.matchedStepCount > 0, "a counted group matches the first step")
    let matcher = query.matcher
    contribution.count(ids.entered)
    contribution.count(ids.enteredOpen, .ifOpen)
    let step = matcher.requiredSteps[match.matchedStepCount - 1]
    switch matcher.ending(of: events, along: match) {
    case .completed:
      contribution.count(ids.completed)
      contribution.count(ids.completedOpen, .ifOpen)
    case .excluded: contribution.count(ids.excluded[step])
    case .ended:
      contribution.count(ids.dropped[step])
      if matcher.finishesOutOfOrder(events, along: match) { contribution.count(ids.finishedOutOfOrder) }
    case .open:
      contribution.count(ids.dropped[step], .ifClosed)
      contribution.count(ids.inProgress[step], .ifOpen)
      if matcher.finishesOutOfOrder(events, along: match) {
        contribution.count(ids.finishedOutOfOrder, .ifClosed)
        contribution.count(ids.inProgressOutOfOrder, .ifOpen)
      }
    }
  }
}

// MARK: - Rows

extension FunnelProjector {
  private var flow: FlowDefinition { query.flow }

  package func rows(from segments: SegmentedCounts) -> [FunnelRow] {
    let returned = query.countsReturned ? segments.whole[ids.returned] : nil
    return segments.sized(by: ids.entered).map { counts in
      let closedEntered = counts[ids.entered] - counts[ids.enteredOpen]
      let closedCompleted = counts[ids.completed] - counts[ids.completedOpen]
      return FunnelRow(
        key: RowKey(flow: flow, segment: counts.segment),
        title: flow.title,
        windowMilliseconds: query.query.windowMilliseconds(for: flow),
        entered: counts[ids.entered],
        completed: counts[ids.completed],
        inProgress: counts.sum(ids.inProgress),
        dropped: counts.sum(ids.dropped),
        returned: returned,
        finishedOutOfOrder: counts[ids.finishedOutOfOrder],
        inProgressOutOfOrder: counts[ids.inProgressOutOfOrder],
        excluded: query.matcher.hasExclusions ? counts.sum(ids.excluded) : nil,
        conversion: Rate(counts[ids.completed], of: counts[ids.entered]),
        closed: ClosedConversion(
          entered: closedEntered, completed: closedCompleted, conversion: Rate(closedCompleted, of: closedEntered)),
        steps: steps(from: counts))
    }
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
        dropped: counts[ids.dropped[step]],
        inProgress: counts[ids.inProgress[step]],
        timeFromPrevious: counts.quantiles(of: step))
      previous = reached
      reached -= counts[ids.dropped[step]] + counts[ids.inProgress[step]] + counts[ids.excluded[step]]
      return row
    }
  }

  private func optionalStep(_ step: Int, from counts: SegmentCounts, previous: Int) -> FunnelStepRow {
    var row = FunnelStepRow(id: flow.steps[step].id, label: flow.steps[step].label, isOptional: true)
    // If steps may come in any order, an optional step has no position between them.
    guard query.query.order != .any else { return row }
    let reached = counts[ids.optionalReached[step]]
    row.reached = reached
    row.fromPrevious = Rate.share(reached, of: previous)
    row.fromStart = Rate.share(reached, of: counts[ids.entered])
    row.timeFromPrevious = counts.quantiles(of: step)
    return row
  }
}

/// The counter IDs of a funnel report. A block has a counter for each step of the flow.
struct FunnelCounterIDs: Sendable {
  let entered: Int
  let completed: Int
  // Open windows are few, so they are cheaper to count than closed ones.
  /// The entered groups whose window is open.
  let enteredOpen: Int
  /// The completed groups whose window is open.
  let completedOpen: Int
  /// The dropped groups that entered the last required step, but out of order.
  let finishedOutOfOrder: Int
  /// The groups that began before the period and again in it. All are in the segment without values.
  let returned: Int
  /// The groups in progress that entered the last required step, but out of order.
  let inProgressOutOfOrder: Int
  /// The groups that dropped off after they matched a required step.
  let dropped: CounterBlock
  /// The groups in progress whose last matched step is a required step.
  let inProgress: CounterBlock
  /// The groups that reached an optional step.
  let optionalReached: CounterBlock
  /// The groups that an excluded event removed after they matched a required step.
  let excluded: CounterBlock
  let counterCount: Int

  init(stepCount: Int) {
    var layout = CounterLayout()
    entered = layout.counter()
    completed = layout.counter()
    enteredOpen = layout.counter()
    completedOpen = layout.counter()
    finishedOutOfOrder = layout.counter()
    returned = layout.counter()
    inProgressOutOfOrder = layout.counter()
    dropped = layout.block(stepCount)
    inProgress = layout.block(stepCount)
    optionalReached = layout.block(stepCount)
    excluded = layout.block(stepCount)
    counterCount = layout.count
  }
}
