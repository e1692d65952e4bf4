public import FunnelHistories
import FunnelModel
public import FunnelProjections

/// Counts where and how groups leave a flow (specification section 3).
public final class DropoffProjector: Projector {
  public static let readsChain = true

  let query: FlowQuery
  let ids: DropoffCounterIDs

  public init(_ query: FlowQuery) {
    self.query = query
    ids = DropoffCounterIDs(
      placeCount: max(0, query.matcher.requiredSteps.count - 1), stepCount: query.flow.steps.count)
  }

  public var counterCount: Int { ids.counterCount }
  public var durationCount: Int { ids.durationCount }

  public func contribute(
    _ events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch, into contribution: inout Contribution
  ) {
    guard match.isCounted else { return }
    let matcher = query.matcher
    contribution.beginSection(at: match.anchor)
    contribution.count(ids.entered)
    contribution.count(ids.enteredOpen, .ifOpen)
    let place = match.level - 1
    let ending = matcher.ending(of: events, along: match)
    if ending == .completed {
      contribution.count(ids.completed)
      contribution.count(ids.completedOpen, .ifOpen)
      return
    }
    contribution.count(ids.lastMatchedOpen(place), .ifOpen)
    if ending == .excluded { return contribution.count(ids.excluded(place)) }
    let last = matcher.lastEvent(of: events, along: match)
    let hasEnded = ending == .ended
    let condition: Contribution.Condition = hasEnded ? .always : .ifClosed
    contribution.count(ids.exit(events[last].kind.exit, at: place), condition)
    contribution.count(ids.lastStep(matcher.lastStep(of: events, along: match), at: place), condition)
    contribution.count(hasEnded ? ids.droppedOpen(place) : ids.inProgress(place), .ifOpen)
    guard last > match[place] else { return }
    contribution.time(ids.dwell(place), from: match[place], to: last, onlyIfClosed: !hasEnded)
  }
}

/// The counter and duration numbers of a drop-off report, by place among the required steps except the last.
struct DropoffCounterIDs: Sendable {
  let placeCount: Int
  let stepCount: Int

  let entered = 0
  /// The counter of entered groups whose window is open: they are few, so this is cheaper than counting those whose window is closed.
  let enteredOpen = 1
  let completed = 2
  /// The counter of completed groups whose window is open.
  let completedOpen = 3
  private let placeBase = 4

  /// Returns the counter of groups whose last match is at this place and that are in progress.
  func inProgress(_ place: Int) -> Int { placeBase + place }
  /// Returns the counter of groups whose last match is at this place and whose window is open, in progress or not.
  func lastMatchedOpen(_ place: Int) -> Int { placeBase + placeCount + place }
  /// Returns the counter of groups that an outcome ended after this place while their window is open.
  func droppedOpen(_ place: Int) -> Int { placeBase + 2 * placeCount + place }
  /// Returns the counter of groups that an excluded event took away after this place.
  func excluded(_ place: Int) -> Int { placeBase + 3 * placeCount + place }
  private var exitBase: Int { placeBase + 4 * placeCount }
  /// Returns the counter of groups that dropped off at this place and left in this way.
  func exit(_ kind: ExitKind, at place: Int) -> Int { exitBase + place * ExitKind.allCases.count + Int(kind.rawValue) }
  private var lastStepBase: Int { exitBase + placeCount * ExitKind.allCases.count }
  /// Returns the counter of groups that dropped off at this place and whose last step was this one.
  func lastStep(_ step: Int, at place: Int) -> Int { lastStepBase + place * stepCount + step }
  var counterCount: Int { lastStepBase + placeCount * stepCount }

  /// Returns the duration from the match of the step to the last event.
  func dwell(_ place: Int) -> Int { place }
  var durationCount: Int { placeCount }
}
