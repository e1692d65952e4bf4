public import FunnelHistories
import FunnelModel
public import FunnelProjections

/// Counts where and how groups leave a flow (specification section 3).
public struct DropoffProjector: Projector {
  public static let readsChain = true

  let query: FlowQuery
  let slots: DropoffSlots

  public init(_ query: FlowQuery) {
    self.query = query
    slots = DropoffSlots(
      placeCount: max(0, query.matcher.requiredSteps.count - 1), stepCount: query.flow.steps.count)
  }

  public var counterCount: Int { slots.counterCount }
  public var durationCount: Int { slots.durationCount }

  public func outline(
    _ events: UnsafeBufferPointer<JourneyEvent>, along match: ChainMatch, into outline: inout Outline
  ) {
    guard match.level > 0 else { return }
    let matcher = query.matcher
    outline.beginPart(at: match.anchor)
    outline.count(slots.entered)
    let place = match.level - 1
    let ending = matcher.ending(of: events, along: match)
    if ending == .completed { return }
    if ending == .excluded { return outline.count(slots.excluded(place)) }
    let last = Self.lastEvent(of: events, from: match[place], until: match.deadline)
    let hasEnded = ending == .ended
    let condition: Outline.Condition = hasEnded ? .always : .ifClosed
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
    return index == match && query.matcher.matchesInOrder ? query.matcher.requiredSteps[place] : mask.trailingZeroBitCount
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
}

/// The counter and duration numbers of a drop-off report, by place among the required steps except the last.
struct DropoffSlots: Sendable {
  let placeCount: Int
  let stepCount: Int

  let entered = 0
  /// Returns the counter of groups whose last match is at this place and that are in progress.
  func inProgress(_ place: Int) -> Int { 1 + place }
  /// Returns the counter of groups that dropped off at this place and left in this way.
  func exit(_ kind: ExitKind, at place: Int) -> Int {
    1 + placeCount + place * ExitKind.allCases.count + Int(kind.rawValue)
  }
  /// Returns the counter of groups that dropped off at this place and whose last step was this one.
  func lastStep(_ step: Int, at place: Int) -> Int {
    1 + placeCount + placeCount * ExitKind.allCases.count + place * stepCount + step
  }
  /// Returns the counter of groups that an excluded event took away after this place.
  func excluded(_ place: Int) -> Int {
    1 + placeCount + placeCount * ExitKind.allCases.count + placeCount * stepCount + place
  }
  var counterCount: Int { excluded(placeCount) }

  /// Returns the duration from the match of the step to the last event.
  func dwell(_ place: Int) -> Int { place }
  var durationCount: Int { placeCount }
}
