import FunnelModel

extension StepMatcher {
  /// The first anchor of a group, and its relation to the period of the query.
  package struct Start {
    /// The index of the anchor among the events.
    package let anchor: Int
    /// Whether the anchor is in the period.
    package let isInPeriod: Bool
    /// Whether the anchor is before the period, and an event in it enters the first required step.
    package let isReturning: Bool
  }

  /// Returns the start of a group, or `nil` if it has no anchor.
  package func start(of events: GroupEvents) -> Start? {
    let mask = anchorMask
    return events.firstIndex { $0.stepMask & mask != 0 }.map { start(of: events.events, at: $0) }
  }

  func start(of events: Span<TimedEvent>, at anchor: Int) -> Start {
    let begin = events[anchor].milliseconds
    return Start(
      anchor: anchor, isInPeriod: period.contains(begin),
      isReturning: begin < period.first && startsAgain(events, after: anchor))
  }

  /// Returns whether an event after the anchor is in the period and enters the first required step.
  private func startsAgain(_ events: Span<TimedEvent>, after anchor: Int) -> Bool {
    guard let mask = requiredMasks.first else { return false }
    var index = events.count - 1
    while index > anchor, events[index].milliseconds >= period.first {
      if events[index].kind.stepMask & mask != 0, events[index].milliseconds <= period.last { return true }
      index -= 1
    }
    return false
  }

  /// Splits the events of a subject into entries (specification section 3, `--count-by entry`).
  ///
  /// An entry starts at an event that can be an anchor, unless another entry is open. It is open until its last
  /// required step is matched or its conversion window ends. The first entry also includes the events before its
  /// anchor, so it starts at index 0. Events without an anchor are one entry.
  ///
  /// - Parameters:
  ///   - starts: Replaced by the index of the first event of each entry, ascending, at least one.
  ///   - chain: Storage for matching, which the caller reuses. Its contents are undefined afterwards.
  /// - Precondition: The matcher is that of first anchors.
  package func findEntries(of events: GroupEvents, into starts: inout [Int], chain: inout ChainMatch) {
    precondition(!triesLaterAnchors, "an entry has one anchor, its first event that enters the first required step")
    starts.removeAll(keepingCapacity: true)
    var start = nextEntry(in: events.events, from: 0)
    while let begin = start {
      starts.append(starts.isEmpty ? 0 : begin)
      if match(events.droppingFirst(begin), into: &chain), chain.matchedStepCount == requiredSteps.count {
        start = nextEntry(in: events.events, from: begin + chain.last + 1)
        continue
      }
      let window = clock.window(from: events.events[begin].milliseconds)
      var end = begin
      while end < events.count, window.contains(events.events[end].milliseconds) { end += 1 }
      start = nextEntry(in: events.events, from: end)
    }
    if starts.isEmpty { starts.append(0) }
  }

  /// Returns the index of the first event from `start` on that can be an anchor at any time, or `nil` if there is none.
  private func nextEntry(in events: Span<TimedEvent>, from start: Int) -> Int? {
    let mask = anchorMask
    for index in start..<events.count where events[index].kind.stepMask & mask != 0 { return index }
    return nil
  }
}
