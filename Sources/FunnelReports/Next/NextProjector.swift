package import FunnelModel
package import FunnelProjections

/// Counts the paths of groups after an event (specification section 7).
///
/// The path of a group starts at the first such event in the query's period. It consists of the names of the
/// following events within the window, without consecutive duplicates, up to the depth of the query. Short
/// paths have few distinct values, so each path is counted as a value.
package final class NextProjector: Projector {
  package static let readsChain = true

  let query: FlowQuery
  /// The step of the flow that the query names, as a bit mask, or 0 if it names no step.
  private let stepMask: UInt64
  /// The events that the query names. Empty if it names a step of the flow.
  private let patterns: [EventPattern]

  // The counter IDs, and the ID of the path values.
  let groups = 0
  let completed = 1
  let paths = 0

  package static func needs(of flow: FlowDefinition) -> EventNeeds {
    var needs = EventNeeds()
    needs.details = true
    return needs
  }

  package init(_ query: FlowQuery) {
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

  package var counterCount: Int { 2 }
  package var durationCount: Int { 0 }
  package var valueKeys: [[Dimension]?] { [nil] }

  package func contribute(_ events: GroupEvents, along match: ChainMatch, into contribution: inout Contribution) {
    guard let start = start(of: events) else { return }
    let isCompleted = completes(events, along: match, after: start)
    contribution.beginSection(at: start)
    contribution.count(groups)
    if isCompleted { contribution.count(completed) }
    var path: [PropertyValue] = []
    for index in (start + 1)..<events.count {
      guard events.isInWindow(index, from: start), path.count < query.query.depth else { break }
      let name = PropertyValue.string(events.detail(at: index)?.text ?? "")
      if path.last != name { path.append(name) }
    }
    contribution.noteValues(paths, [.bool(isCompleted)] + path)
  }

  /// Returns the index of the first event in the period that the query names, or `nil` if there is none.
  private func start(of events: GroupEvents) -> Int? {
    for index in events.indices where events.isInPeriod(index) && isStart(events[index], events.detail(at: index)) {
      return index
    }
    return nil
  }

  /// Returns whether the query names an event.
  private func isStart(_ event: EventClass, _ detail: EventDetail?) -> Bool {
    if event.stepMask & stepMask != 0 { return true }
    return patterns.contains { pattern in
      guard let detail, pattern.event == detail.name else { return false }
      return pattern.conditions.allSatisfy { $0.field == .step && $0.value == detail.step.map(PropertyValue.string) ?? .null }
    }
  }

  /// Returns whether the group's chain matches the last required step after an event and within its window.
  private func completes(_ events: GroupEvents, along match: ChainMatch, after start: Int) -> Bool {
    guard match.matchedStepCount > 0, let last = query.matcher.requiredSteps.last,
      let end = query.matcher.match(ofStep: last, in: events, along: match)
    else { return false }
    return end > start && events.isInWindow(end, from: start)
  }
}

extension NextProjector {
  package func rows(from segments: SegmentedCounts) -> [NextRow] {
    segments.sized(by: groups).map { counts in
      let all = counts.values(of: paths).counts.map { values, count in
        CountedPath(events: values.dropFirst().map(\.description)[...], isCompleted: values[0] == .bool(true), count: count)
      }
      return NextRow(
        key: RowKey(flow: query.flow, segment: counts.segment), title: query.flow.title, groups: counts[groups],
        completed: counts[completed], next: NextBranch.branches(of: all, depth: query.query.depth))
    }
  }
}

/// A path of consecutive events, with the number of groups that follow it.
private struct CountedPath {
  var events: ArraySlice<String>
  var isCompleted: Bool
  var count: Int
}

extension NextBranch {
  /// The maximum number of separate branches at a node of the tree. All other events share ``Event/other``.
  private static let branchesMax = 12

  /// Returns the branches of paths by their first event, most frequent first, followed by ``Event/other`` and
  /// ``Event/end``.
  fileprivate static func branches(of paths: [CountedPath], depth: Int) -> [NextBranch] {
    guard depth > 0 else { return [] }
    let all = paths.reduce(0) { $0 + $1.count }
    func branch(_ event: Event, _ paths: [CountedPath]) -> NextBranch {
      let count = paths.reduce(0) { $0 + $1.count }
      let remainders = paths.map { CountedPath(events: $0.events.dropFirst(), isCompleted: $0.isCompleted, count: $0.count) }
      return NextBranch(
        event: event, count: count, share: Rate.share(count, of: all),
        completed: paths.reduce(0) { $0 + ($1.isCompleted ? $1.count : 0) },
        next: event == .end ? [] : Self.branches(of: remainders, depth: depth - 1))
    }
    let byEvent = Dictionary(grouping: paths) { $0.events.first }
    let order = NamedCount.sorted(
      Dictionary(
        uniqueKeysWithValues: byEvent.compactMap { event, paths in event.map { ($0, paths.reduce(0) { $0 + $1.count }) } }))
    var branches = order.prefix(branchesMax).map { branch(.named($0.name), byEvent[$0.name] ?? []) }
    let others = order.dropFirst(branchesMax).flatMap { byEvent[$0.name] ?? [] }
    if !others.isEmpty { branches.append(branch(.other, others)) }
    if let ended = byEvent[nil] { branches.append(branch(.end, ended)) }
    assert(branches.reduce(0) { $0 + $1.count } == all, "each path belongs to one branch")
    return branches
  }
}
