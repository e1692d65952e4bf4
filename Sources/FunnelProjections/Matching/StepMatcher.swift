package import FunnelSequences
package import FunnelModel

/// Matches the events of a group to the steps of a flow (specification section 3).
///
/// The matches of the required steps are a *chain*. It starts at an *anchor*, an event that enters the first required
/// step (or any required step, if steps may be entered in any order). Each further step matches the first event that
/// fits. A group of n events takes at most O(n·k) time for k steps, even if all anchors are tried.
// The matches of a later anchor never come earlier than those of an earlier anchor, so no event is searched twice for a step.
package struct StepMatcher: Sendable {
  /// The indices in the flow of the required steps, ascending.
  package let requiredSteps: [Int]
  /// The optional steps, or none if steps may be entered in any order.
  package let optionalSteps: [OptionalStep]

  /// An optional step, with the required step before it.
  package struct OptionalStep: Sendable {
    /// The index of the step in the flow.
    package let step: Int
    /// The index among the required steps of the last one before this step, or `nil` if none is before it. In that case, events
    /// before the anchor can enter the step too.
    package let previous: Int?
  }

  /// The bit of each required step in ``EventClass/stepMask``, in the order of ``requiredSteps``.
  let requiredMasks: [UInt64]
  /// The bits of all required steps.
  let requiredMask: UInt64
  /// The period of the query.
  let period: AnchorSpan
  /// The period in which anchors are searched: ``period`` if later anchors are tried, or all time.
  let span: AnchorSpan
  /// Whether all anchors are tried, not only the first one.
  let triesLaterAnchors: Bool
  let clock: WindowClock
  let limits: StepLimits
  private let hasLimits: Bool
  private let order: StepOrder
  /// Whether each outcome of the flow ends a group, by index of the outcome; empty if none does.
  private let outcomeEnds: [Bool]

  /// Creates the matcher of a flow for the order, window and time range of a query.
  package init(flow: FlowDefinition, query: ReportQuery) {
    let required = flow.requiredSteps
    requiredSteps = required
    requiredMasks = required.map { 1 << UInt64($0) }
    requiredMask = requiredMasks.reduce(0, |)
    optionalSteps =
      query.order == .any
      ? []
      : flow.steps.indices.compactMap { step in
        guard flow.steps[step].isOptional else { return nil }
        return OptionalStep(step: step, previous: required.lastIndex { $0 < step })
      }
    period = AnchorSpan(query: query)
    triesLaterAnchors = query.anchor == .best
    span = triesLaterAnchors ? period : .unlimited
    clock = WindowClock(flow: flow, query: query)
    order = query.order
    outcomeEnds = flow.outcomes.contains(where: \.isEnd) ? flow.outcomes.map(\.isEnd) : []
    limits = StepLimits(flow: flow)
    hasLimits = limits.hasTimes || !limits.exclusions.isEmpty
  }

  /// Finds the chain of a group.
  ///
  /// The chain starts at the first anchor. If the query's `anchor` is `best`, it starts at the anchor in the period
  /// with the highest matched step count, and at the earliest of several.
  ///
  /// - Returns: Whether the group has an anchor. If not, `match` has a matched step count of 0.
  package func match(_ events: UnsafeBufferPointer<FlowEvent>, into match: inout ChainMatch) -> Bool {
    let result =
      requiredMasks.isEmpty
      ? LimitedMatch() : matchedStepCount(of: events, scratch: &match.scratch, positions: &match.positions)
    match.matchedStepCount = result.matchedStepCount
    match.exclusion = result.exclusion
    match.isCounted = false
    match.isReturning = false
    guard match.matchedStepCount > 0 else { return false }
    let start = start(of: events, at: match.anchor)
    match.window = clock.window(from: events[match.anchor].milliseconds)
    match.isCounted = start.isInPeriod
    match.isReturning = start.isReturning
    return true
  }

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
  package func start(of events: UnsafeBufferPointer<FlowEvent>) -> Start? {
    let mask = anchorMask
    return events.firstIndex { $0.kind.stepMask & mask != 0 }.map { start(of: events, at: $0) }
  }

  private func start(of events: UnsafeBufferPointer<FlowEvent>, at anchor: Int) -> Start {
    let begin = events[anchor].milliseconds
    return Start(
      anchor: anchor, isInPeriod: period.contains(begin),
      isReturning: begin < period.first && startsAgain(events, after: anchor))
  }

  /// The steps, as bits, that an anchor may enter; 0 if the flow has no required steps.
  var anchorMask: UInt64 { order == .any ? requiredMask : requiredMasks.first ?? 0 }

  /// Returns whether an event after the anchor is in the period and enters the first required step.
  private func startsAgain(_ events: UnsafeBufferPointer<FlowEvent>, after anchor: Int) -> Bool {
    guard let mask = requiredMasks.first else { return false }
    var index = events.count - 1
    while index > anchor, events[index].milliseconds >= period.first {
      if events[index].kind.stepMask & mask != 0, events[index].milliseconds <= period.last { return true }
      index -= 1
    }
    return false
  }

  private func matchedStepCount(
    of events: UnsafeBufferPointer<FlowEvent>, scratch: inout [Int], positions: inout [Int]
  ) -> LimitedMatch {
    scratch.withUnsafeMutableBufferPointer { scratch in
      positions.withUnsafeMutableBufferPointer { positions in
        switch order {
        case .any where hasExclusions: matchAnyLimited(events, entries: scratch, best: positions)
        case .any where triesLaterAnchors: LimitedMatch(matchedStepCount: matchAny(events, counts: scratch, best: positions))
        case .any: LimitedMatch(matchedStepCount: matchAnyFromFirst(events, best: positions))
        case .ordered where !hasLimits: LimitedMatch(matchedStepCount: matchOrdered(events, frontier: scratch, best: positions))
        case .strict where !hasLimits: LimitedMatch(matchedStepCount: matchStrict(events, chain: scratch, best: positions))
        case .ordered, .strict: matchLimited(events, isStrict: order == .strict, chain: scratch, best: positions)
        }
      }
    }
  }

  /// Whether groups with the same event classes may have different chains, because the time between two matches matters.
  var dependsOnTimes: Bool { limits.hasTimes && order != .any }

  /// Whether events can end a chain.
  package var hasExclusions: Bool { !limits.exclusions.isEmpty }

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
  package func ending(of events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch) -> Ending {
    if match.exclusion != nil { return .excluded }
    if match.matchedStepCount == requiredSteps.count { return .completed }
    return hasEnded(events, along: match) ? .ended : .open
  }

  /// Returns the index of the event by which a group entered an optional step, or `nil` if it did not.
  ///
  /// That is the first event that enters the step after the match of the previous required step, not after the match
  /// of the next required step, and within the conversion window.
  package func entry(
    of optional: OptionalStep, in events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch
  ) -> Int? {
    let next = optional.previous.map { $0 + 1 } ?? 0
    guard match.matchedStepCount >= next else { return nil }
    let start = optional.previous.map { match[$0] + 1 } ?? 0
    // If the next required step is the last, entries after its match count too, such as that of a screen shown after
    // the end of the flow.
    let isBounded = match.matchedStepCount > next && next < requiredSteps.count - 1
    let end = min(isBounded ? match[next] + 1 : events.count, match.exclusion ?? events.count)
    guard start < end else { return nil }
    let entry = Self.next(
      entering: 1 << UInt64(optional.step), in: events, from: start, to: end, within: match.window)
    return entry < end && match.window.contains(events[entry].milliseconds) ? entry : nil
  }

  /// Whether the matches of a chain are in the order of the required steps. If not, they are in the order of time.
  package var matchesInOrder: Bool { order != .any }

  /// Returns the index of the event by which a group with a chain entered a step, or `nil` if it did not.
  ///
  /// - Parameter step: The index of the step in the flow.
  package func match(ofStep step: Int, in events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch) -> Int? {
    guard let required = requiredSteps.firstIndex(of: step) else {
      return optionalSteps.first { $0.step == step }.flatMap { entry(of: $0, in: events, along: match) }
    }
    guard order == .any else { return required < match.matchedStepCount ? match[required] : nil }
    return (0..<match.matchedStepCount).first { events[match[$0]].kind.stepMask >> UInt64(step) & 1 == 1 }.map { match[$0] }
  }

  /// Returns the index of the last event in the window of a chain of at least one match, by binary search.
  package func lastEvent(of events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch) -> Int {
    precondition(match.matchedStepCount > 0, "a chain has an anchor")
    var low = match[match.matchedStepCount - 1]
    var high = events.count - 1
    if match.window.contains(events[high].milliseconds) { return high }
    while low + 1 < high {
      let middle = low + (high - low) / 2
      if match.window.contains(events[middle].milliseconds) { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns the index in the flow of the step that a group entered last, from the last match of its chain on and
  /// within the window.
  ///
  /// For an event that enters several steps, that is the first of them; for the last match, it is the step that it matched.
  package func lastStep(of events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch) -> Int {
    let last = match[match.matchedStepCount - 1]
    var index = lastEvent(of: events, along: match)
    while index > last, events[index].kind.stepMask == 0 { index -= 1 }
    return index == last && matchesInOrder
      ? requiredSteps[match.matchedStepCount - 1] : events[index].kind.stepMask.trailingZeroBitCount
  }

  /// Returns whether a group entered the last required step after the anchor and within the window.
  ///
  /// If the chain did not match that step, the group finished the flow without the steps before it. Returns `false`
  /// if steps may be entered in any order.
  package func finishesOutOfOrder(_ events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch) -> Bool {
    guard order != .any, let last = requiredMasks.last else { return false }
    let end = Self.next(entering: last, in: events, from: match.anchor + 1, to: events.count, within: match.window)
    return end < events.count && match.window.contains(events[end].milliseconds)
  }

  /// Returns whether an outcome that ends the group comes at or after the anchor of a chain and within its window.
  package func hasEnded(_ events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch) -> Bool {
    guard !outcomeEnds.isEmpty else { return false }
    var index = match.anchor
    while index < events.count, match.window.contains(events[index].milliseconds) {
      if let outcome = events[index].kind.outcome, outcome < outcomeEnds.count, outcomeEnds[outcome] { return true }
      index += 1
    }
    return false
  }

  /// Returns the index of the first event in `start..<end` that enters a step of the mask or is after the window,
  /// or `end` if there is none. If `start` is not less than `end`, returns `start`.
  @inline(__always)
  static func next(
    entering mask: UInt64, in events: UnsafeBufferPointer<FlowEvent>, from start: Int, to end: Int,
    within window: ConversionWindow
  ) -> Int {
    var index = start
    while index < end, events[index].kind.stepMask & mask == 0, window.contains(events[index].milliseconds) { index += 1 }
    return index
  }
}
