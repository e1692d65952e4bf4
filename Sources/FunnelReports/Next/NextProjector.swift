package import FunnelModel
package import FunnelProjections

/// Counts the paths of groups from an event on, in either direction (specification section 7).
///
/// The path of a group starts at the first such event in the query's period. It consists of the names of the
/// following events within the window, or of the preceding ones, without consecutive duplicates, up to the goal or to
/// the depth of the query. Short paths have few distinct values, so each path is counted as a value.
package final class NextProjector: Projector {
  package static let readsChain = true

  let query: FlowQuery
  private let path: PathQuery
  private let key: KeyMatcher
  private let goal: KeyMatcher?

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
    // A damaged state may select the report without its parameters.
    path = query.query.path ?? PathQuery(.after, .event(name: ""))
    key = KeyMatcher(path.key, in: query.flow)
    goal = path.goal.map { KeyMatcher($0, in: query.flow) }
  }

  package var counterCount: Int { 2 }
  package var durationCount: Int { 0 }
  package var valueKeys: [[Dimension]?] { [nil] }

  package func contribute(_ events: GroupEvents, along match: ChainMatch, into contribution: inout Contribution) {
    guard let start = events.indices.first(where: { events.isInPeriod($0) && key.matches($0, of: events) }) else { return }
    let isCompleted = completes(events, along: match, after: start)
    contribution.beginSection(at: start)
    contribution.count(groups)
    if isCompleted { contribution.count(completed) }
    var names: [PropertyValue] = []
    var between: [PropertyValue] = []
    var isAtGoal = false
    var index = start
    while !isAtGoal, let following = self.following(index, from: start, of: events) {
      index = following
      let name = PropertyValue.string(events.detail(at: index)?.text ?? "")
      isAtGoal = goal?.matches(index, of: events) ?? false
      if isAtGoal || names.last != name { names.append(name) }
      if goal == nil {
        if names.count == path.depth { break }
      } else if !isAtGoal {
        between.append(name)
      }
    }
    let isGoalShown = isAtGoal && names.count <= path.depth
    contribution.noteValues(
      paths, PathValues.path(names.prefix(path.depth), isCompleted: isCompleted, endsAtGoal: isGoalShown).list)
    guard isAtGoal else { return }
    contribution.noteValues(paths, PathValues.groupWithGoal.list)
    for name in between { contribution.noteValues(paths, PathValues.eventBetween(name).list) }
    for name in Set(between) { contribution.noteValues(paths, PathValues.groupBetween(name).list) }
  }

  /// Returns the index of the next event of a path, or `nil` if there is none in the window.
  private func following(_ index: Int, from start: Int, of events: borrowing GroupEvents) -> Int? {
    switch path.direction {
    case .after: index + 1 < events.count && events.isInWindow(index + 1, from: start) ? index + 1 : nil
    case .before: index > 0 && events.isInWindow(start, from: index - 1) ? index - 1 : nil
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
      var all: [CountedPath] = []
      var between: [PropertyValue: BetweenCount] = [:]
      var withGoal = 0
      for (values, count) in counts.values(of: paths).counts {
        switch PathValues(values) {
        case .path(let names, let isCompleted, let endsAtGoal):
          all.append(CountedPath(events: names, isCompleted: isCompleted, endsAtGoal: endsAtGoal, count: count))
        case .eventBetween(let name): between[name, default: BetweenCount()].events += count
        case .groupBetween(let name): between[name, default: BetweenCount()].groups += count
        case .groupWithGoal: withGoal += count
        }
      }
      return NextRow(
        key: RowKey(flow: query.flow, segment: counts.segment), title: query.flow.title,
        windowMilliseconds: query.query.windowMilliseconds(for: query.flow), groups: counts[groups],
        completed: counts[completed], next: NextBranch.branches(of: all, groups: counts[groups], depth: path.depth),
        goal: goal == nil ? nil : GoalPaths(groups: withGoal, between: EventBetween.most(of: between)))
    }
  }
}

/// The events that a key of the command line names in a flow.
private struct KeyMatcher {
  /// The step of the flow that the key names, as a bit mask, or 0 if it names no step.
  private let stepMask: UInt64
  /// The events that the key names. Empty if it names a step of the flow.
  private let patterns: [EventPattern]

  init(_ key: EventKey, in flow: FlowDefinition) {
    let step: Int? = if case .step(let id) = key { flow.steps.firstIndex { $0.id == id } } else { nil }
    stepMask = step.map { 1 << UInt64($0) } ?? 0
    patterns = step == nil ? key.patterns(in: []) : []
  }

  /// Returns whether the key names an event.
  func matches(_ index: Int, of events: borrowing GroupEvents) -> Bool {
    if events[index].stepMask & stepMask != 0 { return true }
    if patterns.isEmpty { return false }
    let detail = events.detail(at: index)
    return patterns.contains { pattern in
      guard let detail, pattern.event == detail.name else { return false }
      return pattern.conditions.allSatisfy { $0.field == .step && $0.value == detail.step.map(PropertyValue.string) ?? .null }
    }
  }
}

/// What the report counts, as a list of values. State files store these lists, so they are a part of the file format.
private enum PathValues {
  /// A path, of events by name.
  case path(ArraySlice<PropertyValue>, isCompleted: Bool, endsAtGoal: Bool)
  /// An event between the start and the goal.
  case eventBetween(PropertyValue)
  /// A group that has such an event.
  case groupBetween(PropertyValue)
  /// A group that reaches the goal.
  case groupWithGoal

  private static let events = PropertyValue.integer(0)
  private static let groups = PropertyValue.integer(1)
  private static let goal = PropertyValue.integer(2)

  var list: [PropertyValue] {
    switch self {
    case .path(let names, let isCompleted, let endsAtGoal):
      [.bool(isCompleted)] + names + (endsAtGoal ? [.bool(true)] : [])
    case .eventBetween(let name): [Self.events, name]
    case .groupBetween(let name): [Self.groups, name]
    case .groupWithGoal: [Self.goal]
    }
  }

  init(_ list: [PropertyValue]) {
    switch (list.first, list.count) {
    case (Self.events, 2): self = .eventBetween(list[1])
    case (Self.groups, 2): self = .groupBetween(list[1])
    case (Self.goal, 1): self = .groupWithGoal
    default:
      let endsAtGoal = list.count > 1 && list.last == .bool(true)
      self = .path(
        (endsAtGoal ? list.dropLast() : list[...]).dropFirst(), isCompleted: list.first == .bool(true), endsAtGoal: endsAtGoal)
    }
  }
}

/// A path of consecutive events, with the number of groups that follow it.
private struct CountedPath {
  var events: ArraySlice<PropertyValue>
  var isCompleted: Bool
  /// Whether the last event is the goal. The path has no end after it.
  var endsAtGoal: Bool
  var count: Int

  /// The path without its first event.
  var remainder: CountedPath {
    var remainder = self
    remainder.events = events.dropFirst()
    return remainder
  }

  /// What the path begins with.
  var head: Head {
    guard let first = events.first else { return .end }
    return .event(first.description, isGoal: endsAtGoal && events.count == 1)
  }

  enum Head: Hashable {
    case event(String, isGoal: Bool)
    case end
  }
}

extension NextBranch {
  /// The maximum number of separate branches at a node of the tree. All other events share ``Event/other``.
  private static let branchesMax = 12

  /// Returns the branches of paths by their first event, most frequent first, followed by ``Event/other`` and
  /// ``Event/end``. A goal is a branch of its own, without branches.
  ///
  /// - Parameter groups: The number of groups at the parent, of which the counts are shares.
  fileprivate static func branches(of paths: [CountedPath], groups: Int, depth: Int) -> [NextBranch] {
    guard depth > 0 else { return [] }
    func branch(_ event: Event, _ paths: [CountedPath]) -> NextBranch {
      let count = paths.reduce(0) { $0 + $1.count }
      let continued = paths.filter { $0.head != .event($0.events.first?.description ?? "", isGoal: true) }
      return NextBranch(
        event: event, count: count, share: Rate.share(count, of: groups),
        completed: paths.reduce(0) { $0 + ($1.isCompleted ? $1.count : 0) },
        next: event == .end ? [] : Self.branches(of: continued.map(\.remainder), groups: count, depth: depth - 1))
    }
    let byHead = Dictionary(grouping: paths, by: \.head)
    let ordered = byHead.compactMap { head, paths -> (name: String, count: Int, isGoal: Bool, paths: [CountedPath])? in
      guard case .event(let name, let isGoal) = head else { return nil }
      return (name, paths.reduce(0) { $0 + $1.count }, isGoal, paths)
    }.sorted { a, b in
      if a.count != b.count { return a.count > b.count }
      if a.name != b.name { return a.name.utf8.lexicographicallyPrecedes(b.name.utf8) }
      return a.isGoal && !b.isGoal
    }
    var branches = ordered.prefix(branchesMax).map { branch(.named($0.name), $0.paths) }
    let others = ordered.dropFirst(branchesMax).flatMap(\.paths)
    if !others.isEmpty { branches.append(branch(.other, others)) }
    if let ended = byHead[.end] { branches.append(branch(.end, ended)) }
    assert(
      branches.reduce(0) { $0 + $1.count } == paths.reduce(0) { $0 + $1.count }, "each path belongs to one branch")
    return branches
  }
}

/// The counts of an event name between the start and the goal.
private struct BetweenCount {
  var groups = 0
  var events = 0
}

extension EventBetween {
  /// The maximum number of events in the list.
  private static let countMax = 50

  /// Returns the events with most occurrences first, ties by name.
  fileprivate static func most(of counts: [PropertyValue: BetweenCount]) -> [EventBetween] {
    let all = counts.map { EventBetween(event: $0.description, groups: $1.groups, events: $1.events) }
    return Array(
      all.sorted { a, b in
        a.events != b.events ? a.events > b.events : a.event.utf8.lexicographicallyPrecedes(b.event.utf8)
      }.prefix(countMax))
  }
}
