import FunnelModel

extension StepMatcher {
  /// The reason why a chain has no further matches.
  package enum Ending: Hashable, Sendable {
    /// All required steps are matched.
    case completed
    /// An excluded event ended the chain.
    case excluded
    /// An outcome of the flow ended the group.
    case ended
    /// None of the others: steps may be matched until the window closes.
    case open
  }

  /// Returns how a chain of at least one match ends.
  package func ending(of events: GroupEvents, along chain: ChainMatch) -> Ending {
    if chain.exclusion != nil { return .excluded }
    if chain.matchedStepCount == requiredSteps.count { return .completed }
    return hasEnded(events.events, along: chain) ? .ended : .open
  }

  /// Returns whether an outcome that ends the group comes at or after the anchor of a chain and within its window.
  private func hasEnded(_ events: Span<TimedEvent>, along chain: ChainMatch) -> Bool {
    guard !outcomeEnds.isEmpty else { return false }
    var index = chain.anchor
    while index < events.count, chain.window.contains(events[index].milliseconds) {
      if let outcome = events[index].kind.outcome, outcome < outcomeEnds.count, outcomeEnds[outcome] { return true }
      index += 1
    }
    return false
  }

  /// Returns the index of the last event in the window of a chain of at least one match, by binary search.
  package func lastEvent(of events: GroupEvents, along chain: ChainMatch) -> Int {
    precondition(chain.matchedStepCount > 0, "a chain has an anchor")
    var low = chain.last
    var high = events.count - 1
    if chain.window.contains(events.events[high].milliseconds) { return high }
    while low + 1 < high {
      let middle = low + (high - low) / 2
      if chain.window.contains(events.events[middle].milliseconds) { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns the index in the flow of the step that a group entered last, from the last match of its chain on and
  /// within the window.
  ///
  /// For an event that enters several steps, that is the first of them; for the last match, it is the step that it matched.
  package func lastStep(of events: GroupEvents, along chain: ChainMatch) -> Int {
    var index = lastEvent(of: events, along: chain)
    while index > chain.last, events[index].stepMask == 0 { index -= 1 }
    return index == chain.last && matchesInOrder
      ? requiredSteps[chain.matchedStepCount - 1] : events[index].stepMask.trailingZeroBitCount
  }

  /// Returns whether a group entered the last required step after the anchor and within the window.
  ///
  /// If the chain did not match that step, the group finished the flow without the steps before it. Returns `false`
  /// if steps may be entered in any order.
  package func finishesOutOfOrder(_ events: GroupEvents, along chain: ChainMatch) -> Bool {
    guard order != .any, let last = requiredMasks.last else { return false }
    let end = Self.next(
      entering: last, in: events.events, from: chain.anchor + 1, to: events.count, within: chain.window)
    return end < events.count && chain.window.contains(events.events[end].milliseconds)
  }

  /// Returns the index of the first event after the last match and after the window that enters the next required step, or `nil` if
  /// there is none. Steps must be entered in order, and the chain must be open.
  package func lateEntry(of events: GroupEvents, along chain: ChainMatch) -> Int? {
    precondition(matchesInOrder && chain.matchedStepCount < requiredMasks.count, "a required step is next")
    // Nearly all groups have no event after their window.
    guard !chain.window.contains(events.events[events.count - 1].milliseconds) else { return nil }
    let mask = requiredMasks[chain.matchedStepCount]
    let start = lastEvent(of: events, along: chain) + 1
    for index in start..<events.count where events[index].stepMask & mask != 0 { return index }
    return nil
  }
}
