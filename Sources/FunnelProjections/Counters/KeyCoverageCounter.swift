package import FunnelIndex
import FunnelModel

/// The counter IDs of ``KeyCoverageProjector``: two for all groups, then for each key three and one for each step.
package struct KeyCoverageCounterIDs: Sendable {
  private let stepCount: Int
  private let keyCount: Int

  /// Creates the IDs of a query.
  package init(_ query: FlowQuery) {
    stepCount = query.flow.steps.count
    keyCount = query.segments.anchorKeys.count
  }

  /// The ID of the counter of groups for which all conditions hold, except those on values of steps.
  let entered = 0
  /// The ID of the counter of ``entered`` groups that completed the flow.
  let completed = 1
  /// The first ID of a key.
  private let keyBase = 2
  /// The number of counters of a key besides those of steps.
  private let fieldsOfKey = 3
  private func base(_ key: Int) -> Int { keyBase + key * (fieldsOfKey + stepCount) }

  /// Returns the ID of the counter of groups for which the conditions on everything but the key hold.
  func groups(_ key: Int) -> Int { base(key) }
  /// Returns the ID of the counter of ``groups(_:)`` whose anchor lacks the key.
  func absent(_ key: Int) -> Int { base(key) + 1 }
  /// Returns the ID of the counter of ``absent(_:)`` groups that have the key at a later event in the window.
  func later(_ key: Int) -> Int { base(key) + 2 }
  /// Returns the ID of the counter of ``later(_:)`` groups that have the key at an event that provides the values of a step.
  func later(_ key: Int, at step: Int) -> Int { base(key) + fieldsOfKey + step }
  /// The number of counters.
  package var counterCount: Int { base(keyCount) }
}

/// Counts the groups whose anchors lack a key of the query, for one flow version.
///
/// Not thread-safe: each worker owns one.
package struct KeyCoverageCounter {
  private let query: SegmentQuery
  private let hasConditions: Bool
  private let clock: WindowClock
  private let ids: KeyCoverageCounterIDs
  private let currentSegments: @Sendable () -> SegmentTable
  private var keys: RowKeys
  private var table = SegmentTable()
  /// The events that provide the values of steps in the next group to count, in the order of the steps.
  private var stepEvents: [(step: Int, event: Int)] = []
  /// A cache of the conditions that fail, by dimension row of the anchor, or `nil` for a row that is not evaluated
  /// yet. Used only if conditions depend on nothing else.
  private var failuresOfRow: [ConditionFailures?] = []

  /// Creates a counter.
  ///
  /// - Parameter currentSegments: Returns the segment table of the source, which may grow.
  package init(_ query: FlowQuery, currentSegments: @escaping @Sendable () -> SegmentTable) {
    self.query = query.segments
    hasConditions = !query.query.conditions.isEmpty
    clock = query.clock
    ids = KeyCoverageCounterIDs(query)
    self.currentSegments = currentSegments
    keys = RowKeys(query.segments.anchorKeys, currentSegments: currentSegments)
  }

  /// Adds an event that provides the values of a step in the next group to count. The steps are in order.
  package mutating func addStepEvent(_ event: Int, ofStep step: Int) {
    assert(stepEvents.last.map { $0.step <= step } ?? true, "events of steps are noted in the order of the steps")
    stepEvents.append((step: step, event: event))
  }

  /// Counts a group.
  ///
  /// - Parameters:
  ///   - anchor: The index of the group's anchor.
  ///   - base: The first counter ID.
  ///   - isCompleted: Whether the group completed the flow.
  package mutating func count(
    _ group: EventSequence, anchor: Int, from base: Int, isCompleted: Bool, into aggregate: inout Aggregate
  ) {
    defer { stepEvents.removeAll(keepingCapacity: true) }
    let row = group.rows?[anchor] ?? 0
    if !hasConditions, group.rows != nil, keys.isComplete(row: row) {
      countEntry(from: base, isCompleted: isCompleted, into: &aggregate)
      for key in keys.keys.indices { aggregate.add(1, to: base + ids.groups(key), in: 0) }
      return
    }
    let window = clock.window(from: group.times[anchor])
    let lacking = group.rows == nil ? KeySet(count: keys.keys.count) : keys.lacking(row: row)
    let found = keys.firstEvents(of: group, after: anchor, within: window, with: lacking)
    let failures = failures(of: group, at: anchor, found)
    guard !failures.hasOther else { return }
    if failures.keys.isEmpty { countEntry(from: base, isCompleted: isCompleted, into: &aggregate) }
    for key in keys.keys.indices where failures.keys.isEmpty || failures.keys.only == key {
      aggregate.add(1, to: base + ids.groups(key), in: 0)
      guard lacking.contains(key) else { continue }
      aggregate.add(1, to: base + ids.absent(key), in: 0)
      guard found[key] != nil else { continue }
      aggregate.add(1, to: base + ids.later(key), in: 0)
      countSteps(with: key, of: group, from: base, into: &aggregate)
    }
  }

  /// Increments the counters that do not depend on a key.
  private func countEntry(from base: Int, isCompleted: Bool, into aggregate: inout Aggregate) {
    aggregate.add(1, to: base + ids.entered, in: 0)
    if isCompleted { aggregate.add(1, to: base + ids.completed, in: 0) }
  }

  /// Increments the counter of each step that has a value of a key.
  private mutating func countSteps(with key: Int, of group: EventSequence, from base: Int, into aggregate: inout Aggregate) {
    guard let rows = group.rows else { return }
    var lastStep: Int?
    // The match and the completion of a step are adjacent, and the step is counted once.
    for (step, event) in stepEvents where step != lastStep && !keys.lacking(row: rows[event]).contains(key) {
      aggregate.add(1, to: base + ids.later(key, at: step), in: 0)
      lastStep = step
    }
  }

  /// Returns the conditions that fail for a group, except those on values of steps.
  ///
  /// - Parameter found: The index of the first later event that has each of the keys that the anchor lacks, by key index.
  private mutating func failures(of group: EventSequence, at anchor: Int, _ found: [Int: Int]) -> ConditionFailures {
    guard hasConditions else { return ConditionFailures() }
    var rows = SegmentRows(anchor: group.rows?[anchor] ?? 0)
    let index = Int(rows.anchor)
    if index < failuresOfRow.count, let known = failuresOfRow[index] { return known }
    if query.query.attribution == .known, let all = group.rows {
      rows.later = keys.keys.indices.map { key in found[key].map { all[$0] } }
    }
    rows.steps = Array(repeating: SegmentRows.Step(), count: query.steps.count)
    // The source may have added rows after the table was read.
    if rows.greatest >= table.count { table = currentSegments() }
    let failures = query.failures(rows: rows, milliseconds: group.times[anchor], in: table)
    if query.query.attribution == .anchor, !query.hasCalendarConditions {
      while failuresOfRow.count <= index { failuresOfRow.append(nil) }
      failuresOfRow[index] = failures
    }
    return failures
  }
}
