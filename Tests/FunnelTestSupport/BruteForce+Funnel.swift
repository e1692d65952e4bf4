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
      FunnelRow(
        key: key(segment), title: flow.title, windowMilliseconds: window, entered: chains.count,
        completed: chains.count(where: isCompleted), inProgress: chains.count(where: isInProgress),
        dropped: chains.count(where: isDropped), returned: returned,
        finishedOutOfOrder: chains.count(where: isFinishedOutOfOrder),
        inProgressOutOfOrder: chains.count { isInProgress($0) && reachesEndInAnotherWay($0) },
        conversion: rate(chains.count(where: isCompleted), chains.count),
        closed: closed(chains.filter(isClosed)),
        steps: flow.steps.indices.map { flow.steps[$0].isOptional ? optionalRow($0, chains) : requiredRow($0, chains) })
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
    return FunnelStepRow(
      id: flow.steps[step].id, label: flow.steps[step].label, isOptional: false, reached: reached.count,
      fromPrevious: share(reached.count, previous), fromStart: share(reached.count, chains.count),
      dropped: chains.count { $0.matches.count == k && isDropped($0) },
      inProgress: chains.count { $0.matches.count == k && isInProgress($0) }, timeFromPrevious: quantiles(times))
  }

  private func optionalRow(_ step: Int, _ chains: [Chain]) -> FunnelStepRow {
    let row = FunnelStepRow(id: flow.steps[step].id, label: flow.steps[step].label, isOptional: true)
    if query.order == .any { return row }
    let entries = chains.compactMap { chain in optionalEntry(of: step, along: chain).map { (chain, $0) } }
    let before = required.count { $0 < step }
    var filled = row
    filled.reached = entries.count
    filled.fromPrevious = share(entries.count, chains.count { $0.matches.count >= before })
    filled.fromStart = share(entries.count, chains.count)
    filled.timeFromPrevious = quantiles(
      entries.compactMap { chain, found in found.from.map { chain.milliseconds(found.entry) - chain.milliseconds($0) } })
    return filled
  }

  /// Returns the rows of the drop-off report.
  package func dropoff() -> [DropoffRow] {
    bySegment(chains).map { segment, chains in
      DropoffRow(
        key: key(segment), title: flow.title, entered: chains.count, dropped: chains.count(where: isDropped),
        inProgress: chains.count(where: isInProgress),
        steps: required.dropLast().map { dropoffRow($0, chains) })
    }
  }

  private func dropoffRow(_ step: Int, _ chains: [Chain]) -> DropoffStepRow {
    let k = required.count { $0 < step } + 1
    let dropped = chains.filter { $0.matches.count == k && isDropped($0) }
    let lasts = dropped.compactMap { chain in
      chain.group.events.indices.last { $0 >= chain.matches[k - 1] && chain.milliseconds($0) <= chain.limit }
    }
    let exits = zip(dropped, lasts).map { $0.group.events[$1].kind.exit }
    return DropoffStepRow(
      id: flow.steps[step].id, label: flow.steps[step].label, dropped: dropped.count,
      shareOfEntered: share(dropped.count, chains.count),
      shareOfReached: share(dropped.count, chains.count { $0.matches.count >= k }),
      reached: chains.count { $0.matches.count >= k },
      inProgress: chains.count { $0.matches.count == k && isInProgress($0) },
      closed: closedDropoff(k, chains.filter(isClosed)), lostCompletions: lostCompletions(k, chains.filter(isClosed)),
      exits: [ExitKind.skipped, .denied, .failed, .back, .left, .ended].map { exit in exits.count { $0 == exit } },
      lastSteps: lastSteps(dropped, k: k, step: step),
      dwell: quantiles(
        zip(dropped, lasts).filter { $1 > $0.matches[k - 1] }.map { $0.milliseconds($1) - $0.milliseconds($0.matches[k - 1]) }))
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
