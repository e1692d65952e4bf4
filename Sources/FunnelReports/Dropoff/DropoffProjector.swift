import FunnelModel
package import FunnelProjections

/// Counts the groups that leave a flow, by step and by way of leaving (specification section 3).
package final class DropoffProjector: Projector {
  package static let readsChain = true

  private let query: FlowQuery
  let ids: DropoffCounterIDs

  package init(_ query: FlowQuery) {
    self.query = query
    ids = DropoffCounterIDs(
      requiredStepCount: query.matcher.requiredSteps.count, stepCount: query.flow.steps.count)
  }

  package var counterCount: Int { ids.counterCount }
  /// The number of durations: the time from the match of each step at which groups can drop off to their last event.
  package var durationCount: Int { ids.exitableStepCount }

  package func contribute(_ events: GroupEvents, along match: ChainMatch, into contribution: inout Contribution) {
    guard match.isCounted else { return }
    assert(match.matchedStepCount > 0, "a counted group matches the first step")
    let matcher = query.matcher
    contribution.beginSection(at: match.anchor)
    contribution.count(ids.entered)
    contribution.count(ids.enteredOpen, .ifOpen)
    let index = match.matchedStepCount - 1
    let ending = matcher.ending(of: events, along: match)
    if ending == .completed {
      contribution.count(ids.completed)
      contribution.count(ids.completedOpen, .ifOpen)
      return
    }
    contribution.count(ids.lastMatchedOpen[index], .ifOpen)
    if ending == .excluded { return contribution.count(ids.excluded[index]) }
    let last = matcher.lastEvent(of: events, along: match)
    let hasEnded = ending == .ended
    let condition: Contribution.Condition = hasEnded ? .always : .ifClosed
    contribution.count(ids.exit(events[last].exit, at: index), condition)
    contribution.count(ids.lastSteps[index, matcher.lastStep(of: events, along: match)], condition)
    contribution.count(hasEnded ? ids.droppedOpen[index] : ids.inProgress[index], .ifOpen)
    guard last > match[index] else { return }
    contribution.time(index, from: match[index], to: last, onlyIfClosed: !hasEnded)
  }
}

// MARK: - Rows

extension DropoffProjector {
  private var flow: FlowDefinition { query.flow }

  package func rows(from segments: SegmentedCounts) -> [DropoffRow] {
    segments.sized(by: ids.entered).map { counts in
      let steps = steps(from: counts)
      return DropoffRow(
        key: RowKey(flow: flow, segment: counts.segment),
        title: flow.title,
        entered: counts[ids.entered],
        dropped: steps.reduce(0) { $0 + $1.dropped },
        inProgress: steps.reduce(0) { $0 + $1.inProgress },
        excluded: query.matcher.hasExclusions ? counts.sum(ids.excluded) : nil,
        steps: steps)
    }
  }

  private func steps(from counts: SegmentCounts) -> [DropoffStepRow] {
    let closedCompleted = counts[ids.completed] - counts[ids.completedOpen]
    var reached = counts[ids.entered]
    var closedReached = reached - counts[ids.enteredOpen]
    return (0..<ids.exitableStepCount).map { index in
      let step = flow.steps[query.matcher.requiredSteps[index]]
      let exits = ExitKind.allCases.map { counts[ids.exit($0, at: index)] }
      let dropped = exits.reduce(0, +)
      let ended = dropped + counts[ids.inProgress[index]] + counts[ids.excluded[index]]
      let closed = ClosedDropoff(reached: closedReached, dropped: dropped - counts[ids.droppedOpen[index]])
      closedReached -= ended - counts[ids.lastMatchedOpen[index]]
      let row = DropoffStepRow(
        id: step.id,
        label: step.label,
        dropped: dropped,
        shareOfEntered: Rate.share(dropped, of: counts[ids.entered]),
        shareOfReached: Rate.share(dropped, of: reached),
        reached: reached,
        inProgress: counts[ids.inProgress[index]],
        closed: closed,
        lostCompletions: closed.lostCompletions(completed: closedCompleted, reachedNext: closedReached),
        exits: exits,
        lastSteps: lastSteps(at: index, from: counts),
        dwell: counts.quantiles(of: index))
      reached -= ended
      return row
    }
  }

  private func lastSteps(at index: Int, from counts: SegmentCounts) -> [LastStep] {
    flow.steps.indices.compactMap { last in
      let groups = counts[ids.lastSteps[index, last]]
      return groups == 0 ? nil : LastStep(id: flow.steps[last].id, label: flow.steps[last].label, groups: groups)
    }
  }
}

/// The counter IDs of a drop-off report. A block has a counter for each required step except the last.
struct DropoffCounterIDs {
  /// The number of steps at which groups can drop off: the required steps except the last.
  let exitableStepCount: Int

  let entered: Int
  // Open windows are few, so they are cheaper to count than closed ones.
  /// The entered groups whose window is open.
  let enteredOpen: Int
  let completed: Int
  /// The completed groups whose window is open.
  let completedOpen: Int
  /// The groups in progress whose last match is the step.
  let inProgress: CounterBlock
  /// The groups whose last match is the step and whose window is open, in progress or not.
  let lastMatchedOpen: CounterBlock
  /// The groups that ended with an outcome after the match of the step, and whose window is open.
  let droppedOpen: CounterBlock
  /// The groups that an excluded event removed after the match of the step.
  let excluded: CounterBlock
  private let exits: CounterTable
  /// The groups that dropped off, by step of the drop-off and by the step that they visited last.
  let lastSteps: CounterTable
  let counterCount: Int

  init(requiredStepCount: Int, stepCount: Int) {
    exitableStepCount = max(0, requiredStepCount - 1)
    var layout = CounterLayout()
    entered = layout.counter()
    enteredOpen = layout.counter()
    completed = layout.counter()
    completedOpen = layout.counter()
    inProgress = layout.block(exitableStepCount)
    lastMatchedOpen = layout.block(exitableStepCount)
    droppedOpen = layout.block(exitableStepCount)
    excluded = layout.block(exitableStepCount)
    exits = layout.table(rows: exitableStepCount, columns: ExitKind.allCases.count)
    lastSteps = layout.table(rows: exitableStepCount, columns: stepCount)
    counterCount = layout.count
  }

  /// Returns the counter of groups that dropped off at a step and left in a given way.
  func exit(_ kind: ExitKind, at index: Int) -> Int { exits[index, Int(kind.rawValue)] }
}
