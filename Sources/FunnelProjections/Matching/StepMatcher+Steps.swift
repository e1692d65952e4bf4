import FunnelModel

extension StepMatcher {
  /// Returns the index of the event by which a group with a chain entered a step, or `nil` if it did not.
  ///
  /// - Parameter step: The index of the step in the flow.
  package func match(ofStep step: Int, in events: GroupEvents, along chain: ChainMatch) -> Int? {
    guard let required = requiredSteps.firstIndex(of: step) else {
      return optionalSteps.first { $0.step == step }.flatMap { entry(of: $0, in: events, along: chain) }
    }
    guard order == .any else { return required < chain.matchedStepCount ? chain[required] : nil }
    for index in 0..<chain.matchedStepCount where events[chain[index]].stepMask >> UInt64(step) & 1 == 1 {
      return chain[index]
    }
    return nil
  }

  /// Returns the index of the event by which a group entered an optional step, or `nil` if it did not.
  ///
  /// That is the first event that enters the step after the match of the previous required step, not after the match
  /// of the next required step, and within the conversion window.
  package func entry(of optional: OptionalStep, in events: GroupEvents, along chain: ChainMatch) -> Int? {
    let next = optional.previous.map { $0 + 1 } ?? 0
    guard chain.matchedStepCount >= next else { return nil }
    let start = optional.previous.map { chain[$0] + 1 } ?? 0
    // If the next required step is the last, entries after its match count too, such as that of a screen shown after
    // the end of the flow.
    let isBounded = chain.matchedStepCount > next && next < requiredSteps.count - 1
    let end = min(isBounded ? chain[next] + 1 : events.count, chain.exclusion ?? events.count)
    guard start < end else { return nil }
    let entry = Self.next(
      entering: 1 << UInt64(optional.step), in: events.events, from: start, to: end, within: chain.window)
    return entry < end && chain.window.contains(events.events[entry].milliseconds) ? entry : nil
  }

  /// Returns whether a group with a chain entered an optional step from the anchor on and within the window, but in another order, so
  /// that ``entry(of:in:along:)`` is `nil`. Returns `false` if the chain did not match the required step before it.
  package func entersInOtherOrder(_ optional: OptionalStep, in events: GroupEvents, along chain: ChainMatch) -> Bool {
    guard chain.matchedStepCount > optional.previous ?? -1, chain.matchedStepCount > 0 else { return false }
    let end = chain.exclusion ?? events.count
    let first = Self.next(
      entering: 1 << UInt64(optional.step), in: events.events, from: chain.anchor, to: end, within: chain.window)
    guard first < end, chain.window.contains(events.events[first].milliseconds) else { return false }
    return entry(of: optional, in: events, along: chain) == nil
  }

  /// Returns the index in the flow of the required step that a match of a chain belongs to.
  ///
  /// If steps may be entered in any order, one event may match several steps. Its matches are in the order of the flow.
  ///
  /// - Parameter matchIndex: The index of the match in the chain, less than its ``ChainMatch/matchedStepCount``.
  package func requiredStep(matchedAt matchIndex: Int, in events: GroupEvents, along chain: ChainMatch) -> Int {
    guard !matchesInOrder else { return requiredSteps[matchIndex] }
    let first = (0..<matchIndex).first { chain[$0] == chain[matchIndex] } ?? matchIndex
    var earlier: UInt64 = 0
    for index in 0..<first { earlier |= events[chain[index]].stepMask }
    var entered = events[chain[matchIndex]].stepMask & requiredMask & ~earlier
    // Each step clears the lowest bit.
    for _ in first..<matchIndex { entered &= entered &- 1 }
    precondition(entered != 0, "a place of a chain matches a step")
    return entered.trailingZeroBitCount
  }

  /// Returns the events of a group that provide the values of a step, or `nil` if the step is not matched.
  ///
  /// - Parameter step: The index of the step in the flow.
  func stepEvents(ofStep step: Int, in events: GroupEvents, along chain: ChainMatch) -> StepEvents? {
    guard let match = match(ofStep: step, in: events, along: chain) else { return nil }
    let end = (0..<chain.matchedStepCount).lazy.map { chain[$0] }.first { $0 > match } ?? events.count
    var index = match
    while index < end, chain.window.contains(events.events[index].milliseconds) {
      if let detail = events.detail(at: index), detail.stepIndex == step, detail.stepEvent == .completed {
        return StepEvents(match: match, completion: index)
      }
      index += 1
    }
    return StepEvents(match: match, completion: nil)
  }
}

/// The events of a group that provide the values of a step, by index.
package struct StepEvents: BitwiseCopyable, Sendable {
  /// The match of the step.
  let match: Int
  /// The first completion of the step at or after its match, before the next match of a required step and within the
  /// conversion window, or `nil` if there is none. Without details of events, no completion is found.
  let completion: Int?
}
