public import FunnelHistories
public import FunnelModel

/// Reports where and how groups leave a flow (specification section 3).
public struct DropoffProjector: Projector, Outliner {
  public static let name = "dropoff"

  private let flow: FlowDefinition
  private let matcher: StepMatcher
  let question: SegmentQuestion
  let clock: WindowClock
  let slots: DropoffSlots

  public init(flow: FlowDefinition, query: ReportQuery) {
    self.init(flow: flow, query: query, counterBase: 0, durationBase: 0)
  }

  /// Creates a projector whose counters and durations follow those of other projectors in a sheet.
  init(flow: FlowDefinition, query: ReportQuery, counterBase: Int, durationBase: Int) {
    self.flow = flow
    matcher = StepMatcher(flow: flow, query: query)
    question = SegmentQuestion(flow: flow, query: query)
    clock = WindowClock(flow: flow, query: query)
    slots = DropoffSlots(
      counterBase: counterBase, durationBase: durationBase, placeCount: max(0, matcher.requiredSteps.count - 1),
      stepCount: flow.steps.count)
  }

  var counterCount: Int { slots.counterCount }
  var durationCount: Int { slots.durationCount }

  public var emptyState: Tally { emptyTally }

  public func fold(_ journey: Journey, into state: inout Tally) { count(journey, into: &state) }

  func outline(_ events: UnsafeBufferPointer<JourneyEvent>, into outline: inout Outline, scratch: inout OutlineScratch) {
    guard matcher.match(events, into: &scratch.match) else { return }
    StepMatchFinder(question, flow: flow, matcher: matcher).note(scratch.match, of: events, in: &outline)
    self.outline(events, along: scratch.match, into: &outline)
  }

  /// Adds the counts of a group whose chain is known.
  func outline(_ events: UnsafeBufferPointer<JourneyEvent>, along match: ChainMatch, into outline: inout Outline) {
    outline.beginPart(at: match.anchor)
    outline.count(slots.entered)
    if match.level == matcher.requiredSteps.count { return }
    let place = match.level - 1
    let last = Self.lastEvent(of: events, from: match[place], until: match.deadline)
    let hasEnded = matcher.hasEnded(events, along: match)
    let condition: Outline.Counter.Condition = hasEnded ? .always : .ifClosed
    outline.count(slots.exit(events[last].kind.exit, at: place), condition)
    outline.count(slots.lastStep(lastStep(in: events, from: match[place], to: last, place: place), at: place), condition)
    if !hasEnded { outline.count(slots.inProgress(place), .ifOpen) }
    guard last > match[place] else { return }
    outline.time(slots.dwell(place), from: match[place], to: last, onlyIfClosed: !hasEnded)
  }

  /// Returns the last step entered from the match of the required step at `place` on. An event that enters several steps counts as the
  /// first of them, but the match itself as the step it matched.
  private func lastStep(
    in events: UnsafeBufferPointer<JourneyEvent>, from match: Int, to last: Int, place: Int
  ) -> Int {
    var index = last
    while index > match, events[index].kind.stepMask == 0 { index -= 1 }
    let mask = events[index].kind.stepMask
    return index == match && matcher.matchesInOrder ? matcher.requiredSteps[place] : mask.trailingZeroBitCount
  }

  /// Returns the last event at or before the deadline, by bisection; `start` must not be after it.
  private static func lastEvent(of events: UnsafeBufferPointer<JourneyEvent>, from start: Int, until deadline: Int64) -> Int {
    var low = start
    var high = events.count - 1
    if events[high].milliseconds <= deadline { return high }
    while low + 1 < high {
      let middle = low + (high - low) / 2
      if events[middle].milliseconds <= deadline { low = middle } else { high = middle }
    }
    return low
  }

  public func rows(from state: Tally) -> [DropoffRow] {
    state.sheets(by: slots.entered, in: question).map { sheet in
      let steps = steps(from: sheet)
      return DropoffRow(
        key: RowKey(flow: flow, segment: sheet.segment),
        title: flow.title,
        entered: sheet[slots.entered],
        dropped: steps.reduce(0) { $0 + $1.dropped },
        steps: steps)
    }
  }

  private func steps(from sheet: Tally.Sheet) -> [DropoffStepRow] {
    var reached = sheet[slots.entered]
    return (0..<slots.placeCount).map { place in
      let step = flow.steps[matcher.requiredSteps[place]]
      let exits = ExitKind.allCases.map { sheet[slots.exit($0, at: place)] }
      let dropped = exits.reduce(0, +)
      let row = DropoffStepRow(
        id: step.id,
        label: step.label,
        dropped: dropped,
        shareOfEntered: Rate.share(dropped, of: sheet[slots.entered]),
        shareOfReached: Rate.share(dropped, of: reached),
        exits: exits,
        lastSteps: flow.steps.indices.compactMap { last in
          let groups = sheet[slots.lastStep(last, at: place)]
          return groups == 0 ? nil : LastStep(id: flow.steps[last].id, label: flow.steps[last].label, groups: groups)
        },
        dwell: sheet.quantiles(of: slots.dwell(place)))
      reached -= dropped + sheet[slots.inProgress(place)]
      return row
    }
  }
}

/// The counter and duration numbers of a drop-off report, by place among the required steps except the last.
struct DropoffSlots: Sendable {
  let counterBase: Int
  let durationBase: Int
  let placeCount: Int
  let stepCount: Int

  var entered: Int { counterBase }
  /// Returns the counter of groups whose last match is at this place and that are in progress.
  func inProgress(_ place: Int) -> Int { counterBase + 1 + place }
  /// Returns the counter of groups that dropped off at this place and left in this way.
  func exit(_ kind: ExitKind, at place: Int) -> Int {
    counterBase + 1 + placeCount + place * ExitKind.allCases.count + Int(kind.rawValue)
  }
  /// Returns the counter of groups that dropped off at this place and whose last step was this one.
  func lastStep(_ step: Int, at place: Int) -> Int {
    counterBase + 1 + placeCount + placeCount * ExitKind.allCases.count + place * stepCount + step
  }
  var counterCount: Int { 1 + placeCount + placeCount * ExitKind.allCases.count + placeCount * stepCount }

  /// Returns the duration from the match of the step to the last event.
  func dwell(_ place: Int) -> Int { durationBase + place }
  var durationCount: Int { placeCount }
}
