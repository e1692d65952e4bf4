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
  let period: AnchorPeriod
  /// The period in which anchors are searched: ``period`` if later anchors are tried, or all time.
  let searchPeriod: AnchorPeriod
  /// Whether all anchors are tried, not only the first one.
  let triesLaterAnchors: Bool
  let clock: WindowClock
  let limits: StepLimits
  let order: StepOrder
  /// Whether each outcome of the flow ends a group, by index of the outcome; empty if none does.
  let outcomeEnds: [Bool]

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
    period = AnchorPeriod(query: query)
    triesLaterAnchors = query.anchor == .best
    searchPeriod = triesLaterAnchors ? period : .unlimited
    clock = WindowClock(flow: flow, query: query)
    order = query.order
    outcomeEnds = flow.outcomes.contains(where: \.isEnd) ? flow.outcomes.map(\.isEnd) : []
    limits = StepLimits(flow: flow)
  }

  /// Whether the matches of a chain are in the order of the required steps. If not, they are in the order of time.
  package var matchesInOrder: Bool { order != .any }

  /// Whether events can end a chain.
  package var hasExclusions: Bool { !limits.exclusions.isEmpty }

  /// Whether groups with the same event classes may have different chains, because the time between two matches matters.
  var dependsOnTimes: Bool { limits.hasTimes && order != .any }

  /// The steps, as bits, that an anchor may enter; 0 if the flow has no required steps.
  var anchorMask: UInt64 { order == .any ? requiredMask : requiredMasks.first ?? 0 }
}

extension StepMatcher {
  /// Finds the chain of a group.
  ///
  /// The chain starts at the first anchor. If the query's `anchor` is `best`, it starts at the anchor in the period
  /// with the highest matched step count, and at the earliest of several.
  ///
  /// - Returns: Whether the group has an anchor. If not, `chain` has a matched step count of 0.
  package func match(_ events: GroupEvents, into chain: inout ChainMatch) -> Bool {
    let best =
      requiredMasks.isEmpty
      ? LimitedMatch() : bestMatch(of: events.events, scratch: &chain.scratch, positions: &chain.positions)
    chain.matchedStepCount = best.matchedStepCount
    chain.exclusion = best.exclusion
    chain.isCounted = false
    chain.isReturning = false
    guard chain.matchedStepCount > 0 else { return false }
    let start = start(of: events.events, at: chain.anchor)
    chain.window = clock.window(from: events.events[chain.anchor].milliseconds)
    chain.isCounted = start.isInPeriod
    chain.isReturning = start.isReturning
    return true
  }

  private func bestMatch(of events: Span<TimedEvent>, scratch: inout [Int], positions: inout [Int]) -> LimitedMatch {
    assert(scratch.count >= requiredMasks.count && positions.count >= requiredMasks.count, "each step has a match")
    var scratch = scratch.mutableSpan
    var best = positions.mutableSpan
    let hasLimits = limits.hasTimes || hasExclusions
    return switch order {
    case .any where hasExclusions: matchAnyLimited(events, entries: &scratch, best: &best)
    case .any where triesLaterAnchors: LimitedMatch(matchedStepCount: matchAny(events, counts: &scratch, best: &best))
    case .any: LimitedMatch(matchedStepCount: matchAnyFromFirst(events, best: &best))
    case .ordered where !hasLimits: LimitedMatch(matchedStepCount: matchOrdered(events, frontier: &scratch, best: &best))
    case .strict where !hasLimits: LimitedMatch(matchedStepCount: matchStrict(events, chain: &scratch, best: &best))
    case .ordered, .strict: matchLimited(events, isStrict: order == .strict, chain: &scratch, best: &best)
    }
  }

  /// Returns the index of the first event in `start..<end` that enters a step of the mask or is after the window,
  /// or `end` if there is none. If `start` is not less than `end`, returns `start`.
  @inline(__always)
  static func next(
    entering mask: UInt64, in events: Span<TimedEvent>, from start: Int, to end: Int, within window: ConversionWindow
  ) -> Int {
    precondition(start >= 0 && end <= events.count, "a search is within the events")
    var index = start
    while index < end, events[unchecked: index].kind.stepMask & mask == 0,
      window.contains(events[unchecked: index].milliseconds)
    { index += 1 }
    return index
  }
}
