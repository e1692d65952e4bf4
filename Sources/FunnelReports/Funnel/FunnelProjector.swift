public import FunnelHistories
import FunnelModel
public import FunnelProjections

/// Counts the groups that reach each step of a flow, and measures the time between steps (specification section 3).
public final class FunnelProjector: Projector {
  public static let readsChain = true

  let query: FlowQuery
  let ids: FunnelCounterIDs

  public init(_ query: FlowQuery) {
    self.query = query
    ids = FunnelCounterIDs(stepCount: query.flow.steps.count)
  }

  public var counterCount: Int { ids.counterCount }
  public var durationCount: Int { ids.durationCount }

  public func contribute(
    _ events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch, into contribution: inout Contribution
  ) {
    if match.isReturning, query.countsReturned {
      contribution.beginSection(at: match.anchor)
      contribution.count(ids.returned)
    }
    guard match.isCounted else { return }
    let matcher = query.matcher
    contribution.beginSection(at: match.anchor)
    contribution.count(ids.entered)
    contribution.count(ids.enteredOpen, .ifOpen)
    let step = matcher.requiredSteps[match.level - 1]
    switch matcher.ending(of: events, along: match) {
    case .completed:
      contribution.count(ids.completed)
      contribution.count(ids.completedOpen, .ifOpen)
    case .excluded: contribution.count(ids.excluded(step))
    case .ended:
      contribution.count(ids.dropped(step))
      if matcher.finishesOutOfOrder(events, along: match) { contribution.count(ids.finishedOutOfOrder) }
    case .open:
      contribution.count(ids.dropped(step), .ifClosed)
      contribution.count(ids.inProgress(step), .ifOpen)
      if matcher.finishesOutOfOrder(events, along: match) {
        contribution.count(ids.finishedOutOfOrder, .ifClosed)
        contribution.count(ids.inProgressOutOfOrder, .ifOpen)
      }
    }
    for index in 1..<max(1, match.level) {
      contribution.time(ids.time(matcher.requiredSteps[index]), from: match[index - 1], to: match[index])
    }
    for optional in matcher.optionalSteps {
      guard let entry = matcher.entry(of: optional, in: events, along: match) else { continue }
      contribution.count(ids.optionalReached(optional.step))
      guard let previous = optional.previous else { continue }
      contribution.time(ids.time(optional.step), from: match[previous], to: entry)
    }
  }
}

/// The counter IDs and duration IDs of a funnel report, by step of the flow.
struct FunnelCounterIDs: Sendable {
  let stepCount: Int

  let entered = 0
  let completed = 1
  // Open windows are few, so they are cheaper to count than closed ones.
  /// The counter of entered groups whose window is open.
  let enteredOpen = 2
  /// The counter of completed groups whose window is open.
  let completedOpen = 3
  /// The counter of dropped groups that entered the last required step, but out of order.
  let finishedOutOfOrder = 4
  /// The counter of groups that began before the period and again in it. All are in the segment without values.
  let returned = 5
  /// The counter of groups in progress that entered the last required step, but out of order.
  let inProgressOutOfOrder = 6
  private let stepBase = 7
  /// Returns the counter of groups that dropped off after they matched a required step.
  func dropped(_ step: Int) -> Int { stepBase + step }
  /// Returns the counter of groups in progress whose last matched step is a required step.
  func inProgress(_ step: Int) -> Int { stepBase + stepCount + step }
  /// Returns the counter of groups that reached an optional step.
  func optionalReached(_ step: Int) -> Int { stepBase + 2 * stepCount + step }
  /// Returns the counter of groups that an excluded event removed after they matched a required step.
  func excluded(_ step: Int) -> Int { stepBase + 3 * stepCount + step }
  var counterCount: Int { stepBase + 4 * stepCount }

  /// Returns the duration from the match of the previous required step to a step.
  func time(_ step: Int) -> Int { step }
  var durationCount: Int { stepCount }
}
