import FunnelModel

extension StepMatcher {
  /// Matches steps in any order. The anchor is the first event that enters a required step.
  ///
  /// - Parameter best: Filled with the first entry of each matched step, in the order of time. An event that enters
  ///   several steps occurs once for each of them.
  /// - Returns: The matched step count, which is the number of valid elements of `best`.
  func matchAnyFromFirst(_ events: Span<TimedEvent>, best: inout MutableSpan<Int>) -> Int {
    guard let anchor = events.indices.first(where: { events[$0].kind.stepMask & requiredMask != 0 }) else { return 0 }
    let window = clock.window(from: events[anchor].milliseconds)
    var missing = requiredMask
    var matchedStepCount = 0
    var index = anchor
    while missing != 0, index < events.count, window.contains(events[index].milliseconds) {
      let new = events[index].kind.stepMask & missing
      missing &= ~new
      for _ in 0..<new.nonzeroBitCount {
        best[matchedStepCount] = index
        matchedStepCount += 1
      }
      index += 1
    }
    return matchedStepCount
  }

  /// Matches steps in any order. The anchor is the event in the period of the query with the highest matched step count.
  ///
  /// A window slides over the events, from each anchor to the end of its window.
  ///
  /// - Parameters:
  ///   - counts: Scratch memory for the number of entries of each step inside the window.
  ///   - best: Filled with the first entry of each matched step, in the order of time. An event that enters several
  ///     steps occurs once for each of them.
  /// - Returns: The matched step count, which is the number of valid elements of `best`.
  func matchAny(
    _ events: Span<TimedEvent>, counts: inout MutableSpan<Int>, best: inout MutableSpan<Int>
  ) -> Int {
    for step in counts.indices { counts[step] = 0 }
    var bestStepCount = 0
    var bestAnchor = 0
    // The steps entered inside the window, as bits.
    var inside: UInt64 = 0
    // The index after the last event inside the window.
    var end = 0
    var anchor = 0
    while anchor < events.count, events[anchor].milliseconds <= searchPeriod.last {
      let event = events[anchor]
      let entered = event.kind.stepMask & requiredMask
      guard entered != 0, event.milliseconds >= searchPeriod.first else {
        anchor += 1
        continue
      }
      let window = clock.window(from: event.milliseconds)
      end = max(end, anchor)
      while end < events.count, window.contains(events[end].milliseconds) {
        let mask = events[end].kind.stepMask & requiredMask
        inside |= mask
        Self.forEachBit(of: mask) { counts[$0] += 1 }
        end += 1
      }
      if inside.nonzeroBitCount > bestStepCount {
        bestStepCount = inside.nonzeroBitCount
        bestAnchor = anchor
      }
      // A window that reaches the last event contains all events of later windows.
      if bestStepCount == requiredMasks.count || end == events.count { break }
      Self.forEachBit(of: entered) { step in
        counts[step] -= 1
        if counts[step] == 0 { inside &= ~(1 << UInt64(step)) }
      }
      anchor += 1
    }
    collectFirstEntries(of: events, from: bestAnchor, matchedStepCount: bestStepCount, into: &best)
    return bestStepCount
  }

  /// Writes the first entries of `matchedStepCount` different steps to `best`, from `anchor` on.
  private func collectFirstEntries(
    of events: Span<TimedEvent>, from anchor: Int, matchedStepCount: Int,
    into best: inout MutableSpan<Int>
  ) {
    var missing = requiredMask
    var found = 0
    var index = anchor
    while found < matchedStepCount {
      let new = events[index].kind.stepMask & missing
      missing &= ~new
      for _ in 0..<new.nonzeroBitCount {
        best[found] = index
        found += 1
      }
      index += 1
    }
  }

  /// Calls `body` with the index of each bit that is set, in ascending order.
  @inline(__always)
  private static func forEachBit(of mask: UInt64, _ body: (Int) -> Void) {
    var remaining = mask
    while remaining != 0 {
      body(remaining.trailingZeroBitCount)
      remaining &= remaining - 1
    }
  }
}
