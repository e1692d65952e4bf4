import FunnelModel
import FunnelProjections
import FunnelRendering

/// Counts the groups that reach the next step of an ad-hoc flow after the window, by step and by the window that would count them.
///
/// The window of an ad-hoc flow is seven days unless the query names one, so these groups count as dropped although nobody chose
/// that.
final class LateProjector: Projector {
  static let readsChain = true

  /// The counts of one flow version.
  typealias Row = LateGroups

  private let query: FlowQuery
  private let completed: Int
  /// The first counter of each step: one for each of ``LateGroups/windowDays``, and one for later groups.
  private let late: CounterBlock
  let counterCount: Int

  init(_ query: FlowQuery) {
    self.query = query
    var layout = CounterLayout()
    completed = layout.counter()
    late = layout.block(query.flow.steps.count * LateGroups.countersPerStep)
    counterCount = layout.count
  }

  var durationCount: Int { 0 }

  func contribute(_ events: GroupEvents, along chain: ChainMatch, into contribution: inout Contribution) {
    guard chain.isCounted else { return }
    let matcher = query.matcher
    switch matcher.ending(of: events, along: chain) {
    case .completed:
      contribution.beginSection(at: chain.anchor)
      contribution.count(completed)
    case .open:
      guard let entry = matcher.lateEntry(of: events, along: chain) else { return }
      let elapsed = events.milliseconds(from: chain.anchor, to: entry, contribution.accessTimes())
      let window = LateGroups.windowDays.firstIndex { elapsed <= Int64($0) * Timestamp.millisecondsPerDay }
      contribution.beginSection(at: chain.anchor)
      let step = matcher.requiredSteps[chain.matchedStepCount]
      contribution.count(late[step * LateGroups.countersPerStep + (window ?? LateGroups.windowDays.count)])
    case .excluded, .ended: break
    }
  }

  func rows(from segments: SegmentedCounts) -> [LateGroups] {
    var groups = LateGroups(flow: query.flow)
    for segment in segments.all {
      groups.completed += segment[completed]
      for step in query.flow.steps.indices {
        for window in 0..<LateGroups.countersPerStep {
          groups.counts[step][window] += segment[late[step * LateGroups.countersPerStep + window]]
        }
      }
    }
    return [groups]
  }
}

/// The groups of one flow version that reached their next step after the window.
struct LateGroups: Hashable, Sendable {
  let flow: FlowDefinition
  /// The number of groups that completed the flow.
  var completed = 0
  /// The number of late groups by the index of the step that they reached late, then by the index in ``windowDays`` of the
  /// shortest window that counts them. The last element is for groups that none of these counts.
  var counts: [[Int]]

  /// The windows that a note proposes, in days.
  static let windowDays = [14, 30, 60, 90, 180, 365]
  /// The number of elements of ``counts`` for each step.
  static let countersPerStep = windowDays.count + 1
  /// Late groups are noted if they are at least one for this many that completed.
  private static let completedPerLateMax = 100
  /// The proposed window counts at least this share of the late groups, if one does.
  private static let countedShareMin = 0.95
  /// The maximum number of steps in a sentence.
  private static let stepsShownMax = 3

  init(flow: FlowDefinition) {
    self.flow = flow
    counts = Array(repeating: Array(repeating: 0, count: Self.countersPerStep), count: flow.steps.count)
  }

  /// Returns a sentence with the numbers and the window that counts the groups, or `nil` if they are few.
  func sentence(counting noun: CountedNoun) -> String? {
    let byStep = counts.map { $0.reduce(0, +) }
    let all = byStep.reduce(0, +)
    guard all > 0, all * Self.completedPerLateMax >= completed else { return nil }
    let steps = byStep.indices.filter { byStep[$0] > 0 }.sorted { (byStep[$1], $0) < (byStep[$0], $1) }
    let shown = steps.prefix(Self.stepsShownMax).map { "\(HumanNumbers.count(byStep[$0])) \(flow.steps[$0].id)" }
    let more = steps.count > shown.count ? " and \(HumanNumbers.count(steps.count - shown.count)) more steps" : ""
    return
      "\(flow.reference): \(noun.counted(all)) took the next step more than \(flow.window.description) after the first one and "
      + "\(all == 1 ? "is" : "are") not counted there, because --steps without --window has a window of "
      + "\(flow.window.description): \(shown.joined(separator: ", "))\(more); \(advice(of: all))"
  }

  /// Returns the window that counts most of the late groups, as a clause.
  private func advice(of all: Int) -> String {
    var counted = 0
    for (window, days) in Self.windowDays.enumerated() {
      counted += counts.reduce(0) { $0 + $1[window] }
      guard Double(counted) >= Self.countedShareMin * Double(all) || window == Self.windowDays.count - 1 else { continue }
      return "--window \(days)d counts \(counted == all ? "them" : "\(HumanNumbers.count(counted)) of them")"
    }
    return "a longer --window counts them"
  }
}
