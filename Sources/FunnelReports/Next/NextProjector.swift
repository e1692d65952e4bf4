public import FunnelHistories
public import FunnelModel
public import FunnelProjections

/// Counts the paths of groups after an event (specification section 7).
///
/// The path of a group starts at the first such event in the query's period. It consists of the names of the
/// following events within the window, without consecutive duplicates, up to the depth of the query. Short
/// paths have few distinct values, so each path is counted as a value.
public final class NextProjector: Projector {
  public static let readsChain = true

  let query: FlowQuery
  /// The step of the flow that the query names, as a bit mask, or 0 if it names no step.
  private let stepMask: UInt64
  /// The events that the query names. Empty if it names a step of the flow.
  private let patterns: [EventPattern]

  // The counter IDs, and the ID of the path values.
  let groups = 0
  let completed = 1
  let paths = 0

  public static func needs(of flow: FlowDefinition) -> EventNeeds {
    var needs = EventNeeds()
    needs.details = true
    return needs
  }

  public init(_ query: FlowQuery) {
    self.query = query
    guard let key = query.query.after else {
      stepMask = 0
      patterns = []
      return
    }
    let step: Int? = if case .step(let id) = key { query.flow.steps.firstIndex { $0.id == id } } else { nil }
    stepMask = step.map { 1 << UInt64($0) } ?? 0
    patterns = step == nil ? key.patterns(in: []) : []
  }

  public var counterCount: Int { 2 }
  public var durationCount: Int { 0 }
  public var valueKeys: [[Dimension]?] { [nil] }

  public func contribute(
    _ events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch, into contribution: inout Contribution
  ) {
    guard
      let start = events.indices.first(where: { index in
        query.span.contains(events[index].milliseconds) && isStart(events[index], contribution.detail(of: events[index]))
      })
    else { return }
    let deadline = query.clock.deadline(from: events[start].milliseconds)
    let isCompleted = completes(events, along: match, after: start, until: deadline)
    contribution.beginSection(at: start)
    contribution.count(groups)
    if isCompleted { contribution.count(completed) }
    var path: [PropertyValue] = []
    for event in events[(start + 1)...] {
      guard event.milliseconds <= deadline, path.count < query.query.depth else { break }
      let name = PropertyValue.string(contribution.detail(of: event)?.text ?? "")
      if path.last != name { path.append(name) }
    }
    contribution.noteValues(paths, [.bool(isCompleted)] + path)
  }

  /// Returns whether the query names an event.
  private func isStart(_ event: FlowEvent, _ detail: EventDetail?) -> Bool {
    if event.kind.stepMask & stepMask != 0 { return true }
    return patterns.contains { pattern in
      guard let detail, pattern.event == detail.name else { return false }
      return pattern.conditions.allSatisfy { $0.field == .step && $0.value == detail.step.map(PropertyValue.string) ?? .null }
    }
  }

  /// Returns whether the group's chain matches the last required step after an event and within its window.
  private func completes(
    _ events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch, after start: Int, until deadline: Int64
  ) -> Bool {
    guard match.level > 0, let last = query.matcher.requiredSteps.last,
      let end = query.matcher.match(ofStep: last, in: events, along: match)
    else { return false }
    return end > start && events[end].milliseconds <= deadline
  }
}
