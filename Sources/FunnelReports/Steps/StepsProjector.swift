public import FunnelHistories
public import FunnelModel
public import FunnelProjections

/// Counts the events of groups at each step: completions, skips, failures, views and the time on the step
/// (specification section 7).
///
/// A group's *stay* at a step is from the step's match up to the match of the next required step, or to the end
/// of the window.
public final class StepsProjector: Projector {
  public static let readsChain = true

  let query: FlowQuery
  let ids: StepsCounterIDs
  /// The index of the permission that each step consists of, or `nil` for other steps.
  private let permissionOfStep: [Int?]

  public static func needs(of flow: FlowDefinition) -> EventNeeds {
    var needs = EventNeeds()
    needs.details = true
    needs.dimensions = [.properties, .property("reason")]
    return needs
  }

  public init(_ query: FlowQuery) {
    self.query = query
    ids = StepsCounterIDs(stepCount: query.flow.steps.count)
    let permissions = query.flow.permissions.map(\.name)
    permissionOfStep = query.flow.steps.map { step in
      if case .permission(let name) = step.kind { permissions.firstIndex(of: name) } else { nil }
    }
  }

  public var counterCount: Int { ids.counterCount }
  public var durationCount: Int { ids.stepCount }
  /// The values that are counted: for each step, the reasons of its failures.
  public var valueKeys: [[Dimension]?] { Array(repeating: [.property("reason")], count: ids.stepCount) }
  /// The number of property tables: for each step, the properties of its completions.
  public var propertiesCount: Int { ids.stepCount }

  public func contribute(
    _ events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch, into contribution: inout Contribution
  ) {
    guard match.isCounted else { return }
    let matcher = query.matcher
    contribution.beginSection(at: match.anchor)
    contribution.count(ids.entered)
    for index in 0..<match.level {
      // If steps may come in any order, one event may match several of them.
      let next = (index..<match.level).first { match[$0] > match[index] } ?? match.level
      let step = matcher.requiredStep(matchedAt: index, in: events, along: match)
      contributeStay(at: step, from: match[index], nextMatch: next, in: events, along: match, into: &contribution)
    }
    for optional in matcher.optionalSteps {
      guard let entry = matcher.entry(of: optional, in: events, along: match) else { continue }
      let next = (0..<match.level).first { match[$0] > entry } ?? match.level
      contributeStay(at: optional.step, from: entry, nextMatch: next, in: events, along: match, into: &contribution)
    }
  }

  /// Counts a stay that starts with an event.
  ///
  /// - Parameter nextMatch: The index in the chain of the next matched required step, or the length of the
  ///   chain if there is none.
  private func contributeStay(
    at step: Int, from start: Int, nextMatch: Int, in events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch,
    into contribution: inout Contribution
  ) {
    let next = nextMatch < match.level ? match[nextMatch] : nil
    let end = next ?? events.count
    var seen = StaySummary()
    contribution.count(ids.reached(step))
    for index in start..<max(end, start) {
      let event = events[index]
      guard event.milliseconds <= match.deadline else { break }
      if event.kind.stepMask >> UInt64(step) & 1 == 1 { contribution.count(ids.views(step)) }
      let isPermission = permissionOfStep[step].map { Int(event.kind.permission) == $0 } ?? false
      guard let detail = contribution.detail(of: event) else { continue }
      if isPermission, detail.suffix == .skipped { seen.isSkipped = true }
      guard detail.stepIndex == step else { continue }
      switch detail.stepEvent {
      case .completed: seen.completion = seen.completion ?? index
      case .skipped: seen.isSkipped = true
      case .back: seen.isBack = true
      case .failed:
        seen.isFailed = true
        contribution.noteValues(ids.failures(step), of: index)
      case .viewed, nil: break
      }
    }
    if let completion = seen.completion {
      contribution.count(ids.completed(step))
      contribution.noteProperties(ids.completionProperties(step), of: completion)
    }
    if seen.isSkipped { contribution.count(ids.skipped(step)) }
    if seen.isBack { contribution.count(ids.back(step)) }
    if seen.isFailed { contribution.count(ids.failed(step)) }
    if let last = seen.completion ?? next { contribution.time(step, from: start, to: last) }
  }

  /// The events of a stay.
  private struct StaySummary {
    /// The index of the first completion, or `nil` if there is none.
    var completion: Int?
    var isSkipped = false
    var isBack = false
    var isFailed = false
  }
}

/// The counter IDs, value IDs and property table IDs of a steps report, by step of the flow.
struct StepsCounterIDs: Sendable {
  let stepCount: Int

  let entered = 0
  private let stepBase = 1
  /// Returns the counter of groups that reached a step.
  func reached(_ step: Int) -> Int { stepBase + step }
  /// Returns the counter of groups that completed a step.
  func completed(_ step: Int) -> Int { stepBase + stepCount + step }
  /// Returns the counter of groups that skipped a step.
  func skipped(_ step: Int) -> Int { stepBase + 2 * stepCount + step }
  /// Returns the counter of groups that went back from a step.
  func back(_ step: Int) -> Int { stepBase + 3 * stepCount + step }
  /// Returns the counter of groups that failed at a step.
  func failed(_ step: Int) -> Int { stepBase + 4 * stepCount + step }
  /// Returns the counter of the views of a step. It counts events, not groups.
  func views(_ step: Int) -> Int { stepBase + 5 * stepCount + step }
  var counterCount: Int { stepBase + 6 * stepCount }

  /// Returns the ID of the table with the properties of a step's completions.
  func completionProperties(_ step: Int) -> Int { step }
  /// Returns the ID of the values with the reasons of a step's failures.
  func failures(_ step: Int) -> Int { step }
}
