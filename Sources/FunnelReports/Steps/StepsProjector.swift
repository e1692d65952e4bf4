package import FunnelModel
package import FunnelProjections

/// Counts the events of groups at each step: completions, skips, failures, views and the time on the step
/// (specification section 7).
///
/// A group's *stay* at a step is from the step's match up to the match of the next required step, or to the end
/// of the window.
package final class StepsProjector: Projector {
  package static let readsChain = true

  private let query: FlowQuery
  private let ids: StepsCounterIDs
  /// The index of the permission that each step consists of, or `nil` for other steps.
  private let permissionOfStep: [Int?]

  package static func needs(of flow: FlowDefinition) -> EventNeeds {
    var needs = EventNeeds()
    needs.details = true
    needs.dimensions = [.properties, .property("reason")]
    return needs
  }

  package init(_ query: FlowQuery) {
    self.query = query
    ids = StepsCounterIDs(stepCount: query.flow.steps.count)
    let permissions = query.flow.permissions.map(\.name)
    permissionOfStep = query.flow.steps.map { step in
      if case .permission(let name) = step.kind { permissions.firstIndex(of: name) } else { nil }
    }
  }

  private var stepCount: Int { query.flow.steps.count }

  package var counterCount: Int { ids.counterCount }
  /// The number of durations: for each step, the time on the step.
  package var durationCount: Int { stepCount }
  /// The values that are counted: for each step, the reasons of its failures.
  package var valueKeys: [[Dimension]?] { Array(repeating: [.property("reason")], count: stepCount) }
  /// The number of property tables: for each step, the properties of its completions.
  package var propertiesCount: Int { stepCount }

  package func contribute(_ events: GroupEvents, along match: ChainMatch, into contribution: inout Contribution) {
    guard match.isCounted else { return }
    let matcher = query.matcher
    contribution.beginSection(at: match.anchor)
    contribution.count(ids.entered)
    for index in 0..<match.matchedStepCount {
      // If steps may come in any order, one event may match several of them.
      let next = (index..<match.matchedStepCount).first { match[$0] > match[index] } ?? match.matchedStepCount
      let step = matcher.requiredStep(matchedAt: index, in: events, along: match)
      contributeStay(at: step, from: match[index], nextMatch: next, in: events, along: match, into: &contribution)
    }
    for optional in matcher.optionalSteps {
      guard let entry = matcher.entry(of: optional, in: events, along: match) else { continue }
      let next = (0..<match.matchedStepCount).first { match[$0] > entry } ?? match.matchedStepCount
      contributeStay(at: optional.step, from: entry, nextMatch: next, in: events, along: match, into: &contribution)
    }
  }

  /// Counts a stay that starts with an event.
  ///
  /// - Parameter nextMatch: The index in the chain of the next matched required step, or the length of the
  ///   chain if there is none.
  private func contributeStay(
    at step: Int, from start: Int, nextMatch: Int, in events: GroupEvents, along match: ChainMatch,
    into contribution: inout Contribution
  ) {
    let next = nextMatch < match.matchedStepCount ? match[nextMatch] : nil
    let end = next ?? events.count
    var seen = StaySummary()
    contribution.count(ids.reached[step])
    for index in start..<max(end, start) {
      let event = events[index]
      guard events.isInWindow(index, from: match.anchor) else { break }
      if event.stepMask >> UInt64(step) & 1 == 1 { contribution.count(ids.views[step]) }
      let isPermission = permissionOfStep[step].map { event.permission == $0 } ?? false
      guard let detail = events.detail(at: index) else { continue }
      if isPermission, detail.suffix == .skipped { seen.isSkipped = true }
      guard detail.stepIndex == step else { continue }
      switch detail.stepEvent {
      case .completed: seen.completion = seen.completion ?? index
      case .skipped: seen.isSkipped = true
      case .back: seen.isBack = true
      case .failed:
        seen.isFailed = true
        contribution.noteValues(step, of: index)
      case .viewed, nil: break
      }
    }
    if let completion = seen.completion {
      contribution.count(ids.completed[step])
      contribution.noteProperties(step, of: completion)
    }
    if seen.isSkipped { contribution.count(ids.skipped[step]) }
    if seen.isBack { contribution.count(ids.back[step]) }
    if seen.isFailed { contribution.count(ids.failed[step]) }
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

// MARK: - Rows

extension StepsProjector {
  package func rows(from segments: SegmentedCounts) -> [StepsRow] {
    let flow = query.flow
    return segments.sized(by: ids.entered).map { counts in
      StepsRow(
        key: RowKey(flow: flow, segment: counts.segment), title: flow.title, entered: counts[ids.entered],
        asksPermissions: !flow.permissions.isEmpty,
        steps: flow.steps.indices.map { step in
          StepsStepRow(
            id: flow.steps[step].id, label: flow.steps[step].label, isOptional: flow.steps[step].isOptional,
            reached: query.matcher.matchesInOrder || !flow.steps[step].isOptional ? counts[ids.reached[step]] : nil,
            completed: counts[ids.completed[step]], skipped: counts[ids.skipped[step]], back: counts[ids.back[step]],
            failed: counts[ids.failed[step]], failures: NamedCount.ofReasons(counts.values(of: step)),
            views: counts[ids.views[step]], time: counts.quantiles(of: step),
            values: PropertySummary.summaries(of: counts.properties(of: step), in: flow))
        })
    }
  }
}

/// The counter IDs of a steps report. A block has a counter for each step of the flow.
private struct StepsCounterIDs {
  let entered: Int
  let reached: CounterBlock
  /// The groups that completed the step.
  let completed: CounterBlock
  let skipped: CounterBlock
  /// The groups that went back from the step.
  let back: CounterBlock
  /// The groups that failed at the step.
  let failed: CounterBlock
  /// The views of the step. It counts events, not groups.
  let views: CounterBlock
  let counterCount: Int

  init(stepCount: Int) {
    var layout = CounterLayout()
    entered = layout.counter()
    reached = layout.block(stepCount)
    completed = layout.block(stepCount)
    skipped = layout.block(stepCount)
    back = layout.block(stepCount)
    failed = layout.block(stepCount)
    views = layout.block(stepCount)
    counterCount = layout.count
  }
}
