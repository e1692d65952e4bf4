public import FunnelHistories
import FunnelModel
public import FunnelProjections

/// Counts the groups that leave a flow, by step and by way of leaving (specification section 3).
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
    let index = match.level - 1
    let ending = matcher.ending(of: events, along: match)
    if ending == .completed {
      contribution.count(ids.completed)
      contribution.count(ids.completedOpen, .ifOpen)
      return
    }
    contribution.count(ids.lastMatchedOpen(index), .ifOpen)
    if ending == .excluded { return contribution.count(ids.excluded(index)) }
    let last = matcher.lastEvent(of: events, along: match)
    let hasEnded = ending == .ended
    let condition: Contribution.Condition = hasEnded ? .always : .ifClosed
    contribution.count(ids.exit(events[last].kind.exit, at: index), condition)
    contribution.count(ids.lastStep(matcher.lastStep(of: events, along: match), at: index), condition)
    contribution.count(hasEnded ? ids.droppedOpen(index) : ids.inProgress(index), .ifOpen)
    guard last > match[index] else { return }
    contribution.time(ids.dwell(index), from: match[index], to: last, onlyIfClosed: !hasEnded)
  }
}

/// The counter IDs and duration IDs of a drop-off report, by index into the required steps except the last.
struct DropoffCounterIDs: Sendable {
  /// The number of required steps except the last.
  let placeCount: Int
  let stepCount: Int

  let entered = 0
  // Open windows are few, so they are cheaper to count than closed ones.
  /// The counter of entered groups whose window is open.
  let enteredOpen = 1
  let completed = 2
  /// The counter of completed groups whose window is open.
  let completedOpen = 3
  private let placeBase = 4

  /// Returns the counter of groups in progress whose last match is at an index.
  func inProgress(_ index: Int) -> Int { placeBase + index }
  /// Returns the counter of groups whose last match is at an index and whose window is open, in progress or not.
  func lastMatchedOpen(_ index: Int) -> Int { placeBase + placeCount + index }
  /// Returns the counter of groups that ended with an outcome after the match at an index, and whose window is open.
  func droppedOpen(_ index: Int) -> Int { placeBase + 2 * placeCount + index }
  /// Returns the counter of groups that an excluded event removed after the match at an index.
  func excluded(_ index: Int) -> Int { placeBase + 3 * placeCount + index }
  private var exitBase: Int { placeBase + 4 * placeCount }
  /// Returns the counter of groups that dropped off at an index and left in a given way.
  func exit(_ kind: ExitKind, at index: Int) -> Int { exitBase + index * ExitKind.allCases.count + Int(kind.rawValue) }
  private var lastStepBase: Int { exitBase + placeCount * ExitKind.allCases.count }
  /// Returns the counter of groups that dropped off at an index and whose last step is a given one.
  func lastStep(_ step: Int, at index: Int) -> Int { lastStepBase + index * stepCount + step }
  var counterCount: Int { lastStepBase + placeCount * stepCount }

  /// Returns the duration from the match of the step to the last event.
  func dwell(_ index: Int) -> Int { index }
  var durationCount: Int { placeCount }
}
