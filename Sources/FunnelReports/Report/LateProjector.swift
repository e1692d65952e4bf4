import FunnelModel
import FunnelProjections

/// Counts the groups that reach the next step of a flow after the window, by step and by the window that would count them.
///
/// These groups count as dropped. The number says whether the window is too short.
final class LateProjector: Projector {
  static let readsChain = true

  /// The counts of one flow version.
  typealias Row = LateGroups

  private let query: FlowQuery
  /// The late groups by the step that they reach late.
  private let byStep: CounterBlock
  /// The late groups by the index in ``LateGroups/windowHours`` of the shortest window that counts them. The last counter is for
  /// groups that none of these counts.
  private let byWindow: CounterBlock
  let counterCount: Int

  init(_ query: FlowQuery) {
    self.query = query
    var layout = CounterLayout()
    byStep = layout.block(query.flow.steps.count)
    byWindow = layout.block(LateGroups.windowHours.count + 1)
    counterCount = layout.count
  }

  var durationCount: Int { 0 }

  func contribute(_ events: GroupEvents, along chain: ChainMatch, into contribution: inout Contribution) {
    let matcher = query.matcher
    guard chain.isCounted, chain.matchedStepCount < matcher.requiredSteps.count,
      let entry = matcher.lateEntry(of: events, along: chain), matcher.ending(of: events, along: chain) == .open
    else { return }
    let elapsed = events.milliseconds(from: chain.anchor, to: entry, contribution.accessTimes())
    let window = LateGroups.windowHours.firstIndex { elapsed <= Int64($0) * LateGroups.millisecondsPerHour }
    contribution.beginSection(at: chain.anchor)
    contribution.count(byStep[matcher.requiredSteps[chain.matchedStepCount]])
    contribution.count(byWindow[window ?? LateGroups.windowHours.count])
  }

  func rows(from segments: SegmentedCounts) -> [LateGroups] {
    var groups = LateGroups(flow: query.flow)
    for segment in segments.all {
      for step in groups.byStep.indices { groups.byStep[step] += segment[byStep[step]] }
      for window in groups.byWindow.indices { groups.byWindow[window] += segment[byWindow[window]] }
    }
    return [groups]
  }
}
