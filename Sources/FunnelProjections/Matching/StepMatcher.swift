public import FunnelHistories
public import FunnelModel

/// Finds the chain of required steps that counts for a group (specification section 3).
///
/// The chain from an anchor is greedy: every next step matches the first event that fits. If the best anchor counts, the matches of a later
/// anchor never come earlier than those of an anchor before it, so no position is searched twice, and a journey of n events and k steps
/// takes at most O(n·k) time, however many anchors it has.
public struct StepMatcher: Sendable {
  /// The flow's required steps, in order, as indices into its steps.
  public let requiredSteps: [Int]
  /// The optional steps; empty if steps come in any order.
  public let optionalSteps: [OptionalStep]

  /// An optional step and its place among the required ones.
  public struct OptionalStep: Sendable {
    /// The index among the flow's steps.
    public let step: Int
    /// The place in the chain of the last required step before it; nil if there is none. Then any event up to the anchor can reach it.
    public let previous: Int?
  }

  let requiredMasks: [UInt64]
  let requiredMask: UInt64
  /// The period of the query.
  let period: AnchorSpan
  /// The time in which anchors are looked for: the period if the best one counts, else all of time.
  let span: AnchorSpan
  /// Whether later anchors are tried after the first one.
  let triesLaterAnchors: Bool
  let clock: WindowClock
  let limits: StepLimits
  private let hasLimits: Bool
  private let order: StepOrder
  /// For each outcome of the flow, whether it ends a group; empty if none does.
  private let outcomeEnds: [Bool]

  /// Creates the matcher of a flow for the order, window and time range of a query.
  public init(flow: FlowDefinition, query: ReportQuery) {
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

  /// Finds the chain from the group's anchor: its first one or, if the query says so, the one in the period with the highest level and, of
  /// several, the earliest.
  ///
  /// - Returns: Whether the group has an anchor; without one, `match` has level 0.
  public func match(_ events: UnsafeBufferPointer<FlowEvent>, into match: inout ChainMatch) -> Bool {
    let result =
      requiredMasks.isEmpty ? LimitedLevel() : level(of: events, scratch: &match.scratch, positions: &match.positions)
    match.level = result.level
    match.exclusion = result.exclusion
    match.isCounted = false
    match.isReturning = false
    guard match.level > 0 else { return false }
    let start = start(of: events, at: match.anchor)
    match.deadline = clock.deadline(from: events[match.anchor].milliseconds)
    match.isCounted = start.isInPeriod
    match.isReturning = start.isReturning
    return true
  }

  /// The start of a group, in relation to the period of the query.
  public struct Start {
    /// The index of the anchor.
    public let anchor: Int
    /// Whether the anchor is in the period.
    public let isInPeriod: Bool
    /// Whether the anchor is before the period, and an event in it enters the first required step.
    public let isReturning: Bool
  }

  /// Returns the start of a group at its first anchor, or nil if it has none.
  public func start(of events: UnsafeBufferPointer<FlowEvent>) -> Start? {
    let mask = anchorMask
    return events.firstIndex { $0.kind.stepMask & mask != 0 }.map { start(of: events, at: $0) }
  }

  private func start(of events: UnsafeBufferPointer<FlowEvent>, at anchor: Int) -> Start {
    let begin = events[anchor].milliseconds
    return Start(
      anchor: anchor, isInPeriod: period.contains(begin),
      isReturning: begin < period.first && startsAgain(events, after: anchor))
  }

  /// The steps of which entering one makes an event an anchor.
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

  private func level(
    of events: UnsafeBufferPointer<FlowEvent>, scratch: inout [Int], positions: inout [Int]
  ) -> LimitedLevel {
    scratch.withUnsafeMutableBufferPointer { scratch in
      positions.withUnsafeMutableBufferPointer { positions in
        switch order {
        case .any where hasExclusions: matchAnyLimited(events, entries: scratch, best: positions)
        case .any where triesLaterAnchors: LimitedLevel(level: matchAny(events, counts: scratch, best: positions))
        case .any: LimitedLevel(level: matchAnyFromFirst(events, best: positions))
        case .ordered where !hasLimits: LimitedLevel(level: matchOrdered(events, frontier: scratch, best: positions))
        case .strict where !hasLimits: LimitedLevel(level: matchStrict(events, chain: scratch, best: positions))
        case .ordered, .strict: matchLimited(events, isStrict: order == .strict, chain: scratch, best: positions)
        }
      }
    }
  }

  /// Whether chains depend on the time between two matches, so that groups with the same events may have others.
  var dependsOnTimes: Bool { limits.hasTimes && order != .any }

  /// Whether events can end a chain.
  public var hasExclusions: Bool { !limits.exclusions.isEmpty }

  /// How a chain ends.
  public enum Ending: Hashable, Sendable {
    /// All required steps are matched.
    case completed
    /// An excluded event ended it.
    case excluded
    /// An outcome of the flow ended it, so that no further step is awaited.
    case ended
    /// Further steps are awaited until the window closes.
    case open
  }

  /// Returns how a chain, of at least level 1, ends.
  public func ending(of events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch) -> Ending {
    if match.exclusion != nil { return .excluded }
    if match.level == requiredSteps.count { return .completed }
    return hasEnded(events, along: match) ? .ended : .open
  }

  /// Returns the event by which a matched chain reached an optional step: the first after the match of the required step before it, not
  /// after that of the required step following it, and inside the window.
  ///
  /// - Returns: An index into the journey, or nil if the step was not reached.
  public func entry(
    of optional: OptionalStep, in events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch
  ) -> Int? {
    let next = optional.previous.map { $0 + 1 } ?? 0
    guard match.level >= next else { return nil }
    let start = optional.previous.map { match[$0] + 1 } ?? 0
    // If the next required step is the last, entries after its match count too, such as that of a screen shown after the end of the flow.
    let isBounded = match.level > next && next < requiredSteps.count - 1
    let end = min(isBounded ? match[next] + 1 : events.count, match.exclusion ?? events.count)
    guard start < end else { return nil }
    let entry = Self.next(
      entering: 1 << UInt64(optional.step), in: events, from: start, to: end, deadline: match.deadline)
    return entry < end && events[entry].milliseconds <= match.deadline ? entry : nil
  }

  /// Whether the places of a match are those of the required steps, which is not the case if steps come in any order.
  public var matchesInOrder: Bool { order != .any }

  /// Returns the event by which a matched chain reached a step, or nil if it did not.
  ///
  /// - Parameter step: The index of the step in the flow.
  public func match(ofStep step: Int, in events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch) -> Int? {
    guard let required = requiredSteps.firstIndex(of: step) else {
      return optionalSteps.first { $0.step == step }.flatMap { entry(of: $0, in: events, along: match) }
    }
    guard order == .any else { return required < match.level ? match[required] : nil }
    return (0..<match.level).first { events[match[$0]].kind.stepMask >> UInt64(step) & 1 == 1 }.map { match[$0] }
  }

  /// Returns the last event at or before the deadline of a chain, by bisection.
  public func lastEvent(of events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch) -> Int {
    var low = match[match.level - 1]
    var high = events.count - 1
    if events[high].milliseconds <= match.deadline { return high }
    while low + 1 < high {
      let middle = low + (high - low) / 2
      if events[middle].milliseconds <= match.deadline { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns the step that a group was on last: the last one entered from the last match of its chain on, within the window. An event that
  /// enters several steps counts as the first of them, but the match itself as the step it matched.
  public func lastStep(of events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch) -> Int {
    let last = match[match.level - 1]
    var index = lastEvent(of: events, along: match)
    while index > last, events[index].kind.stepMask == 0 { index -= 1 }
    return index == last && matchesInOrder ? requiredSteps[match.level - 1] : events[index].kind.stepMask.trailingZeroBitCount
  }

  /// Returns whether an event after the anchor and within the window enters the last required step, which the chain did not match: then the
  /// group finished the flow by another way. If steps come in any order, there is no other way.
  public func finishesOutOfOrder(_ events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch) -> Bool {
    guard order != .any, let last = requiredMasks.last else { return false }
    let end = Self.next(entering: last, in: events, from: match.anchor + 1, to: events.count, deadline: match.deadline)
    return end < events.count && events[end].milliseconds <= match.deadline
  }

  /// Returns whether an event that ends the flow comes at or after the anchor of a chain and within its window. The group is then not in
  /// progress.
  public func hasEnded(_ events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch) -> Bool {
    guard !outcomeEnds.isEmpty else { return false }
    var index = match.anchor
    while index < events.count, events[index].milliseconds <= match.deadline {
      let outcome = Int(events[index].kind.outcome)
      if outcome < outcomeEnds.count, outcomeEnds[outcome] { return true }
      index += 1
    }
    return false
  }

  /// Returns the first position at or after `start` whose event enters a step of the mask or is after the deadline; `end` if none is.
  @inline(__always)
  static func next(
    entering mask: UInt64, in events: UnsafeBufferPointer<FlowEvent>, from start: Int, to end: Int, deadline: Int64
  ) -> Int {
    var index = start
    while index < end, events[index].kind.stepMask & mask == 0, events[index].milliseconds <= deadline { index += 1 }
    return index
  }
}
