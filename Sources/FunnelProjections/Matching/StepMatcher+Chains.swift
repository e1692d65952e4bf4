import FunnelModel

extension StepMatcher {
  /// Matches steps in the order of the flow. Other events may come between the matches.
  ///
  /// - Parameters:
  ///   - frontier: Scratch memory for the index of the event up to which each required step has been searched.
  ///   - best: Filled with the matches of the best chain.
  /// - Returns: The matched step count of the best chain, which is the number of valid elements of `best`.
  func matchOrdered(
    _ events: Span<TimedEvent>, frontier: inout MutableSpan<Int>,
    best: inout MutableSpan<Int>
  ) -> Int {
    let stepCount = requiredMasks.count
    for step in 0..<stepCount { frontier[step] = 0 }
    var bestStepCount = 0
    var anchor = nextAnchor(in: events, from: 0)
    while anchor < events.count {
      let window = clock.window(from: events[anchor].milliseconds)
      frontier[0] = anchor
      var matchedStepCount = 1
      var next = anchor
      while matchedStepCount < stepCount {
        let start = max(frontier[matchedStepCount], frontier[matchedStepCount - 1] + 1)
        next = Self.next(
          entering: requiredMasks[matchedStepCount], in: events, from: start, to: events.count, within: window)
        frontier[matchedStepCount] = next
        guard next < events.count, window.contains(events[next].milliseconds) else { break }
        matchedStepCount += 1
      }
      if matchedStepCount > bestStepCount {
        bestStepCount = matchedStepCount
        for step in 0..<matchedStepCount { best[step] = frontier[step] }
      }
      // A step that no remaining event enters is not found from a later anchor either.
      if !triesLaterAnchors || matchedStepCount == stepCount || next == events.count { break }
      anchor = nextAnchor(in: events, from: anchor + 1)
    }
    return bestStepCount
  }

  /// Matches steps in the order of the flow. No event that enters another required step may come between the matches.
  ///
  /// - Parameters:
  ///   - chain: Scratch memory for the matches of the current chain.
  ///   - best: Filled with the matches of the best chain.
  /// - Returns: The matched step count of the best chain, which is the number of valid elements of `best`.
  func matchStrict(
    _ events: Span<TimedEvent>, chain: inout MutableSpan<Int>, best: inout MutableSpan<Int>
  ) -> Int {
    let stepCount = requiredMasks.count
    var bestStepCount = 0
    var anchor = nextAnchor(in: events, from: 0)
    while anchor < events.count {
      let window = clock.window(from: events[anchor].milliseconds)
      chain[0] = anchor
      var matchedStepCount = 1
      var next = anchor
      while matchedStepCount < stepCount {
        next = Self.next(entering: requiredMask, in: events, from: next + 1, to: events.count, within: window)
        guard next < events.count, window.contains(events[next].milliseconds),
          events[next].kind.stepMask & requiredMasks[matchedStepCount] != 0
        else { break }
        chain[matchedStepCount] = next
        matchedStepCount += 1
      }
      if matchedStepCount > bestStepCount {
        bestStepCount = matchedStepCount
        for step in 0..<matchedStepCount { best[step] = chain[step] }
      }
      // A chain that matched all remaining events that enter required steps is longer than any later chain.
      if !triesLaterAnchors || matchedStepCount == stepCount || next == events.count { break }
      anchor = nextAnchor(in: events, from: anchor + 1)
    }
    return bestStepCount
  }

  /// Returns the index of the first event from `start` on that enters the first required step in ``searchPeriod``, or the
  /// number of events if there is none.
  @inline(__always)
  func nextAnchor(in events: Span<TimedEvent>, from start: Int) -> Int {
    let mask = requiredMasks[0]
    var index = start
    while index < events.count {
      let event = events[index]
      if event.milliseconds > searchPeriod.last { return events.count }
      if event.kind.stepMask & mask != 0, event.milliseconds >= searchPeriod.first { return index }
      index += 1
    }
    return index
  }
}
