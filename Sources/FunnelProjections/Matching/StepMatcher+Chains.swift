import FunnelHistories
import FunnelModel

extension StepMatcher {
  /// Matches steps in their order, whatever comes between them. `frontier[k]` is the position up to which step k has been searched.
  ///
  /// - Returns: The level of the best chain. The first `level` elements of `best` are then its matches.
  func matchOrdered(
    _ events: UnsafeBufferPointer<FlowEvent>, frontier: UnsafeMutableBufferPointer<Int>,
    best: UnsafeMutableBufferPointer<Int>
  ) -> Int {
    let stepCount = requiredMasks.count
    for step in 0..<stepCount { frontier[step] = 0 }
    var bestLevel = 0
    var anchor = nextAnchor(in: events, from: 0)
    while anchor < events.count {
      let deadline = clock.deadline(from: events[anchor].milliseconds)
      frontier[0] = anchor
      var level = 1
      var next = anchor
      while level < stepCount {
        let start = max(frontier[level], frontier[level - 1] + 1)
        next = Self.next(entering: requiredMasks[level], in: events, from: start, to: events.count, deadline: deadline)
        frontier[level] = next
        guard next < events.count, events[next].milliseconds <= deadline else { break }
        level += 1
      }
      if level > bestLevel {
        bestLevel = level
        for step in 0..<level { best[step] = frontier[step] }
      }
      // A step that is not in the rest of the journey is not found from a later anchor either.
      if !triesLaterAnchors || level == stepCount || next == events.count { break }
      anchor = nextAnchor(in: events, from: anchor + 1)
    }
    return bestLevel
  }

  /// Matches steps in their order with no other required step between them.
  ///
  /// - Returns: The level of the best chain. The first `level` elements of `best` are then its matches.
  func matchStrict(
    _ events: UnsafeBufferPointer<FlowEvent>, chain: UnsafeMutableBufferPointer<Int>, best: UnsafeMutableBufferPointer<Int>
  ) -> Int {
    let stepCount = requiredMasks.count
    var bestLevel = 0
    var anchor = nextAnchor(in: events, from: 0)
    while anchor < events.count {
      let deadline = clock.deadline(from: events[anchor].milliseconds)
      chain[0] = anchor
      var level = 1
      var next = anchor
      while level < stepCount {
        next = Self.next(entering: requiredMask, in: events, from: next + 1, to: events.count, deadline: deadline)
        guard next < events.count, events[next].milliseconds <= deadline,
          events[next].kind.stepMask & requiredMasks[level] != 0
        else { break }
        chain[level] = next
        level += 1
      }
      if level > bestLevel {
        bestLevel = level
        for step in 0..<level { best[step] = chain[step] }
      }
      // A chain that took every required event left in the journey is longer than any that starts later.
      if !triesLaterAnchors || level == stepCount || next == events.count { break }
      anchor = nextAnchor(in: events, from: anchor + 1)
    }
    return bestLevel
  }

  /// Returns the first event at or after `start` that enters the first required step in the time range, or the number of events.
  @inline(__always)
  func nextAnchor(in events: UnsafeBufferPointer<FlowEvent>, from start: Int) -> Int {
    let mask = requiredMasks[0]
    var index = start
    while index < events.count {
      let event = events[index]
      if event.milliseconds > span.last { return events.count }
      if event.kind.stepMask & mask != 0, event.milliseconds >= span.first { return index }
      index += 1
    }
    return index
  }
}
