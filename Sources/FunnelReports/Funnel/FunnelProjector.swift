public import FunnelHistories
import FunnelModel
public import FunnelProjections

/// Counts the groups that reach each step of a flow, and measures how long they take (specification section 3).
public final class FunnelProjector: Projector {
  public static let readsChain = true

  let query: FlowQuery
  let slots: FunnelSlots

  public init(_ query: FlowQuery) {
    self.query = query
    slots = FunnelSlots(stepCount: query.flow.steps.count)
  }

  public var counterCount: Int { slots.counterCount }
  public var durationCount: Int { slots.durationCount }

  public func outline(
    _ events: UnsafeBufferPointer<JourneyEvent>, along match: ChainMatch, into outline: inout Outline
  ) {
    if match.isReturning, query.countsReturned {
      outline.beginPart(at: match.anchor)
      outline.count(slots.returned)
    }
    guard match.isCounted else { return }
    let matcher = query.matcher
    outline.beginPart(at: match.anchor)
    outline.count(slots.entered)
    outline.count(slots.enteredOpen, .ifOpen)
    let step = matcher.requiredSteps[match.level - 1]
    switch matcher.ending(of: events, along: match) {
    case .completed:
      outline.count(slots.completed)
      outline.count(slots.completedOpen, .ifOpen)
    case .excluded: outline.count(slots.excluded(step))
    case .ended:
      outline.count(slots.dropped(step))
      if matcher.finishesOutOfOrder(events, along: match) { outline.count(slots.finishedOutOfOrder) }
    case .open:
      outline.count(slots.dropped(step), .ifClosed)
      outline.count(slots.inProgress(step), .ifOpen)
      if matcher.finishesOutOfOrder(events, along: match) {
        outline.count(slots.finishedOutOfOrder, .ifClosed)
        outline.count(slots.inProgressOutOfOrder, .ifOpen)
      }
    }
    for place in 1..<max(1, match.level) {
      outline.time(slots.time(matcher.requiredSteps[place]), from: match[place - 1], to: match[place])
    }
    for optional in matcher.optionalSteps {
      guard let entry = matcher.entry(of: optional, in: events, along: match) else { continue }
      outline.count(slots.optionalReached(optional.step))
      guard let previous = optional.previous else { continue }
      outline.time(slots.time(optional.step), from: match[previous], to: entry)
    }
  }
}

/// The counter and duration numbers of a funnel report, by step of the flow.
struct FunnelSlots: Sendable {
  let stepCount: Int

  let entered = 0
  let completed = 1
  /// The counter of entered groups whose window is open: they are few, so this is cheaper than counting those whose window is closed.
  let enteredOpen = 2
  /// The counter of completed groups whose window is open.
  let completedOpen = 3
  /// The counter of dropped groups that entered the last required step, though not in its order.
  let finishedOutOfOrder = 4
  /// The counter of groups that began before the period and again in it; all are counted in the segment without values.
  let returned = 5
  /// The counter of groups in progress that entered the last required step, though not in its order.
  let inProgressOutOfOrder = 6
  private let stepBase = 7
  /// Returns the counter of groups that dropped off at a required step, the last one they matched.
  func dropped(_ step: Int) -> Int { stepBase + step }
  /// Returns the counter of groups in progress at a required step, the last one they matched.
  func inProgress(_ step: Int) -> Int { stepBase + stepCount + step }
  /// Returns the counter of groups that reached an optional step.
  func optionalReached(_ step: Int) -> Int { stepBase + 2 * stepCount + step }
  /// Returns the counter of groups that an excluded event took away after a required step, the last one they matched.
  func excluded(_ step: Int) -> Int { stepBase + 3 * stepCount + step }
  var counterCount: Int { stepBase + 4 * stepCount }

  /// Returns the duration from the match of the previous required step.
  func time(_ step: Int) -> Int { step }
  var durationCount: Int { stepCount }
}
