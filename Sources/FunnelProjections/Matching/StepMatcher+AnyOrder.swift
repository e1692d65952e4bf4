public import FunnelHistories
import FunnelModel

extension StepMatcher {
  /// Returns the required step that is matched at a place of a chain, as an index into the flow's steps.
  ///
  /// If steps come in any order, the places of one event are those of the steps it is the first to enter, in the order of the flow.
  public func requiredStep(
    matchedAt place: Int, in events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch
  ) -> Int {
    guard !matchesInOrder else { return requiredSteps[place] }
    let first = (0..<place).first { match[$0] == match[place] } ?? place
    var earlier: UInt64 = 0
    for index in 0..<first { earlier |= events[match[index]].kind.stepMask }
    var entered = events[match[place]].kind.stepMask & requiredMask & ~earlier
    for _ in first..<place { entered &= entered &- 1 }
    precondition(entered != 0, "a place of a chain matches a step")
    return entered.trailingZeroBitCount
  }

  /// Matches steps in any order from the first event that enters a required step.
  ///
  /// - Returns: The level. The first `level` elements of `best` are then the first entries of its steps, in order; an event that enters
  ///   several steps is there once for each of them.
  func matchAnyFromFirst(_ events: UnsafeBufferPointer<FlowEvent>, best: UnsafeMutableBufferPointer<Int>) -> Int {
    guard let anchor = events.firstIndex(where: { $0.kind.stepMask & requiredMask != 0 }) else { return 0 }
    let deadline = clock.deadline(from: events[anchor].milliseconds)
    var missing = requiredMask
    var level = 0
    var index = anchor
    while missing != 0, index < events.count, events[index].milliseconds <= deadline {
      let new = events[index].kind.stepMask & missing
      missing &= ~new
      for _ in 0..<new.nonzeroBitCount {
        best[level] = index
        level += 1
      }
      index += 1
    }
    return level
  }

  /// Matches steps in any order from the best anchor: a window slides over the journey, from each anchor to its deadline, and `counts` holds
  /// the number of times each step is entered inside it.
  ///
  /// - Returns: The level of the best anchor. The first `level` elements of `best` are then the first entries of its steps, in order.
  func matchAny(
    _ events: UnsafeBufferPointer<FlowEvent>, counts: UnsafeMutableBufferPointer<Int>, best: UnsafeMutableBufferPointer<Int>
  ) -> Int {
    for step in counts.indices { counts[step] = 0 }
    var (bestLevel, bestAnchor) = (0, 0)
    var inside: UInt64 = 0
    var end = 0
    var anchor = 0
    while anchor < events.count, events[anchor].milliseconds <= span.last {
      let event = events[anchor]
      let entered = event.kind.stepMask & requiredMask
      guard entered != 0, event.milliseconds >= span.first else {
        anchor += 1
        continue
      }
      let deadline = clock.deadline(from: event.milliseconds)
      end = max(end, anchor)
      while end < events.count, events[end].milliseconds <= deadline {
        let mask = events[end].kind.stepMask & requiredMask
        inside |= mask
        Self.forEachBit(of: mask) { counts[$0] += 1 }
        end += 1
      }
      if inside.nonzeroBitCount > bestLevel { (bestLevel, bestAnchor) = (inside.nonzeroBitCount, anchor) }
      // A window that ends with the journey contains everything that later windows contain.
      if bestLevel == requiredMasks.count || end == events.count { break }
      Self.forEachBit(of: entered) { step in
        counts[step] -= 1
        if counts[step] == 0 { inside &= ~(1 << UInt64(step)) }
      }
      anchor += 1
    }
    collectFirstEntries(of: events, from: bestAnchor, level: bestLevel, into: best)
    return bestLevel
  }

  /// Writes the first entries of `level` different steps. An event that enters several steps is written once for each of them.
  private func collectFirstEntries(
    of events: UnsafeBufferPointer<FlowEvent>, from anchor: Int, level: Int, into best: UnsafeMutableBufferPointer<Int>
  ) {
    var missing = requiredMask
    var found = 0
    var index = anchor
    while found < level {
      let new = events[index].kind.stepMask & missing
      missing &= ~new
      for _ in 0..<new.nonzeroBitCount {
        best[found] = index
        found += 1
      }
      index += 1
    }
  }

  @inline(__always)
  private static func forEachBit(of mask: UInt64, _ body: (Int) -> Void) {
    var rest = mask
    while rest != 0 {
      body(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
  }
}
