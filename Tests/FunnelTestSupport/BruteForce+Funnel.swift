import FunnelSequences
import FunnelModel
import FunnelProjections
package import FunnelReports

extension BruteForce {
  private var chains: [(segment: Segment, member: Chain)] {
    groups.compactMap { group in
      guard let chain = chain(of: group), isInRange(group.events[chain.anchor]), !query.isMature || isClosed(chain),
        let segment = segment(of: group, at: chain.anchor)
      else { return nil }
      return (segment, chain)
    }
  }

  private func isCompleted(_ chain: Chain) -> Bool { chain.matches.count == required.count }
  private func isClosed(_ chain: Chain) -> Bool { chain.limit <= query.now.milliseconds }
  private func isInProgress(_ chain: Chain) -> Bool { !isCompleted(chain) && !isClosed(chain) && !hasEnded(chain) }
  private func isDropped(_ chain: Chain) -> Bool { !isCompleted(chain) && !isInProgress(chain) }

  /// Returns the number of groups that began again in the period, or nil if the query can't tell it.
  private var returned: Int? {
    guard query.since != nil, query.anchor == .first, query.by.isEmpty, query.conditions.isEmpty else { return nil }
    return groups.count { group in hasReturned(group) && (!query.isMature || chain(of: group).map(isClosed) ?? false) }
  }

  private func isFinishedOutOfOrder(_ chain: Chain) -> Bool {
    isDropped(chain) && reachesEndInAnotherWay(chain)
  }

  /// Whether a group enters the last required step after its anchor within the window.
  private func reachesEndInAnotherWay(_ chain: Chain) -> Bool {
    guard query.order != .any, let last = required.last else { return false }
    return chain.group.events.indices.contains { index in
      index > chain.anchor && chain.milliseconds(index) <= chain.limit && enters(chain.group.events[index], last)
    }
  }

  /// Returns the rows of the funnel report.
  package func funnel() -> [FunnelRow] {
    bySegment(chains).map { segment, chains in
      var row = FunnelRow(key: key(segment), title: flow.title, windowMilliseconds: window)
      row.entered = chains.count
      row.completed = chains.count(where: isCompleted)
      row.inProgress = chains.count(where: isInProgress)
      row.dropped = chains.count(where: isDropped)
      row.returned = returned
      row.finishedOutOfOrder = chains.count(where: isFinishedOutOfOrder)
      row.inProgressOutOfOrder = chains.count { isInProgress($0) && reachesEndInAnotherWay($0) }
      row.conversion = rate(row.completed, row.entered)
      row.closed = closed(chains.filter(isClosed))
      row.steps = flow.steps.indices.map { flow.steps[$0].isOptional ? optionalRow($0, chains) : requiredRow($0, chains) }
      return row
    }
  }

  private func closed(_ chains: [Chain]) -> ClosedConversion {
    let completed = chains.count(where: isCompleted)
    return ClosedConversion(entered: chains.count, completed: completed, conversion: rate(completed, chains.count))
  }

  private func requiredRow(_ step: Int, _ chains: [Chain]) -> FunnelStepRow {
    let k = required.count { $0 < step } + 1
    let reached = chains.filter { $0.matches.count >= k }
    let previous = k == 1 ? chains.count : chains.count { $0.matches.count >= k - 1 }
    let times = k == 1 ? [] : reached.map { $0.milliseconds($0.matches[k - 1]) - $0.milliseconds($0.matches[k - 2]) }
    var row = FunnelStepRow(id: flow.steps[step].id, label: flow.steps[step].label, isOptional: false)
    row.reached = reached.count
    row.fromPrevious = share(reached.count, previous)
    row.fromStart = share(reached.count, chains.count)
    row.dropped = chains.count { $0.matches.count == k && isDropped($0) }
    row.inProgress = chains.count { $0.matches.count == k && isInProgress($0) }
    row.timeFromPrevious = quantiles(times)
    return row
  }

  private func optionalRow(_ step: Int, _ chains: [Chain]) -> FunnelStepRow {
    var row = FunnelStepRow(id: flow.steps[step].id, label: flow.steps[step].label, isOptional: true)
    if query.order == .any { return row }
    let entries = chains.compactMap { chain in optionalEntry(of: step, along: chain).map { (chain, $0) } }
    let before = required.count { $0 < step }
    row.reached = entries.count
    row.fromPrevious = share(entries.count, chains.count { $0.matches.count >= before })
    row.fromStart = share(entries.count, chains.count)
    row.timeFromPrevious = quantiles(
      entries.compactMap { chain, found in found.from.map { chain.milliseconds(found.entry) - chain.milliseconds($0) } })
    return row
  }

  /// Returns the rows of the drop-off report.
  package func dropoff() -> [DropoffRow] {
    bySegment(chains).map { segment, chains in
      var row = DropoffRow(key: key(segment), title: flow.title)
      row.entered = chains.count
      row.dropped = chains.count(where: isDropped)
      row.inProgress = chains.count(where: isInProgress)
      row.steps = required.dropLast().map { dropoffRow($0, chains) }
      return row
    }
  }

  private func dropoffRow(_ step: Int, _ chains: [Chain]) -> DropoffStepRow {
    let k = required.count { $0 < step } + 1
    let dropped = chains.filter { $0.matches.count == k && isDropped($0) }
    let lasts = dropped.compactMap { chain in
      chain.group.events.indices.last { $0 >= chain.matches[k - 1] && chain.milliseconds($0) <= chain.limit }
    }
    let exits = zip(dropped, lasts).map { $0.group.events[$1].kind.exit }
    var row = DropoffStepRow(id: flow.steps[step].id, label: flow.steps[step].label)
    row.dropped = dropped.count
    row.reached = chains.count { $0.matches.count >= k }
    row.shareOfEntered = share(row.dropped, chains.count)
    row.shareOfReached = share(row.dropped, row.reached)
    row.inProgress = chains.count { $0.matches.count == k && isInProgress($0) }
    row.closed = closedDropoff(k, chains.filter(isClosed))
    row.lostCompletions = lostCompletions(k, chains.filter(isClosed))
    row.exits = [ExitKind.skipped, .denied, .failed, .back, .left, .ended].map { exit in exits.count { $0 == exit } }
    row.lastSteps = lastSteps(dropped, k: k, step: step)
    row.dwell = quantiles(
      zip(dropped, lasts).filter { $1 > $0.matches[k - 1] }.map { $0.milliseconds($1) - $0.milliseconds($0.matches[k - 1]) })
    return row
  }

  private func closedDropoff(_ k: Int, _ closed: [Chain]) -> ClosedDropoff {
    ClosedDropoff(
      reached: closed.count { $0.matches.count >= k }, dropped: closed.count { $0.matches.count == k && isDropped($0) })
  }

  private func lostCompletions(_ k: Int, _ closed: [Chain]) -> Double? {
    let wentOn = closed.count { $0.matches.count > k }
    guard wentOn > 0 else { return nil }
    return Double(closedDropoff(k, closed).dropped) * Double(closed.count(where: isCompleted)) / Double(wentOn)
  }

  /// Counts the groups that dropped at a step by the step they were on last.
  private func lastSteps(_ dropped: [Chain], k: Int, step: Int) -> [LastStep] {
    let last = dropped.map { chain in
      let match = chain.matches[k - 1]
      let later = chain.group.events.indices.last { index in
        index >= match && chain.milliseconds(index) <= chain.limit
          && flow.steps.indices.contains { enters(chain.group.events[index], $0) }
      }
      if later == match, query.order != .any { return step }
      return flow.steps.indices.first { enters(chain.group.events[later ?? match], $0) } ?? step
    }
    return flow.steps.indices.filter(last.contains).map { step in
      LastStep(id: flow.steps[step].id, label: flow.steps[step].label, groups: last.count { $0 == step })
    }
  }
}
