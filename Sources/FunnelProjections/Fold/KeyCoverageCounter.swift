package import FunnelIndex
package import FunnelModel

/// The counter numbers of ``KeyCoverageProjector``.
struct KeyCoverageSlots: Sendable {
  let stepCount: Int
  let keyCount: Int

  /// The counter of groups for which the conditions hold, apart from those on the values of steps.
  let entered = 0
  /// The counter of those of them that completed.
  let completed = 1
  private let keyBase = 2
  private let fieldsOfKey = 3
  private func base(_ key: Int) -> Int { keyBase + key * (fieldsOfKey + stepCount) }

  /// Returns the counter of groups for which the conditions on other keys hold.
  func groups(_ key: Int) -> Int { base(key) }
  /// Returns the counter of those of them whose anchor lacks the key.
  func absent(_ key: Int) -> Int { base(key) + 1 }
  /// Returns the counter of those of them that have the key at a later event.
  func later(_ key: Int) -> Int { base(key) + 2 }
  /// Returns the counter of those of them whose first such event enters a step.
  func later(_ key: Int, at step: Int) -> Int { base(key) + fieldsOfKey + step }
  var counterCount: Int { base(keyCount) }
}

/// Counts the groups whose anchors lack the keys of a query, for one flow and one thread.
package struct KeyCoverageCounter {
  private let question: SegmentQuestion
  private let clock: WindowClock
  private let slots: KeyCoverageSlots
  private let currentSegments: @Sendable () -> SegmentTable
  private let currentKinds: @Sendable () -> [KindTable.Entry]
  private var keys: RowKeys
  private var table = SegmentTable()
  private var kinds: [KindTable.Entry] = []
  /// The conditions that fail at an anchor with each row, if the row alone decides; nil for a row not looked at yet.
  private var failuresOfRow: [ConditionFailures?] = []

  package init(
    _ query: FlowQuery, currentSegments: @escaping @Sendable () -> SegmentTable,
    currentKinds: @escaping @Sendable () -> [KindTable.Entry]
  ) {
    question = query.segments
    clock = query.clock
    slots = KeyCoverageSlots(stepCount: query.flow.steps.count, keyCount: query.segments.anchorKeys.count)
    self.currentSegments = currentSegments
    self.currentKinds = currentKinds
    keys = RowKeys(query.segments.anchorKeys, currentSegments: currentSegments)
  }

  /// Counts a group.
  package mutating func take(_ note: Outline.Note, of group: SubjectHistory, into tally: inout Tally) {
    let (anchor, base) = (Int(note.event), Int(note.slot))
    let row = group.rows?[anchor] ?? 0
    let deadline = clock.deadline(from: group.times[anchor])
    let lacking = group.rows == nil ? KeySet(count: keys.keys.count) : keys.lacking(row: row)
    let found = keys.firstEvents(of: group, after: anchor, until: deadline, with: lacking)
    let failures = failures(of: group, at: anchor, found)
    guard !failures.hasOther else { return }
    if failures.keys.isEmpty {
      tally.add(1, to: base + slots.entered, in: 0)
      if note.content == .coverageOfCompleted { tally.add(1, to: base + slots.completed, in: 0) }
    }
    for key in keys.keys.indices where failures.keys.isEmpty || failures.keys.only == key {
      tally.add(1, to: base + slots.groups(key), in: 0)
      guard lacking.contains(key) else { continue }
      tally.add(1, to: base + slots.absent(key), in: 0)
      guard let event = found[key] else { continue }
      tally.add(1, to: base + slots.later(key), in: 0)
      if let step = step(enteredBy: group.kinds[event]) { tally.add(1, to: base + slots.later(key, at: step), in: 0) }
    }
  }

  /// Returns the conditions that fail for a group.
  ///
  /// - Parameter found: The first later event that has each of the keys that the anchor lacks.
  private mutating func failures(of group: SubjectHistory, at anchor: Int, _ found: [Int: Int]) -> ConditionFailures {
    guard !question.query.conditions.isEmpty else { return ConditionFailures() }
    var rows = SegmentRows(anchor: group.rows?[anchor] ?? 0)
    let index = Int(rows.anchor)
    if index < failuresOfRow.count, let known = failuresOfRow[index] { return known }
    if question.query.attribution == .known, let all = group.rows {
      rows.later = keys.keys.indices.map { key in found[key].map { all[$0] } }
    }
    rows.steps = Array(repeating: nil, count: question.steps.count * SegmentRows.rowsOfStep)
    let last = rows.later.reduce(rows.anchor) { max($0, $1 ?? 0) }
    // A row may have been added after the table was read.
    if last >= table.count { table = currentSegments() }
    let failures = question.failures(rows: rows, milliseconds: group.times[anchor], in: table)
    if question.query.attribution == .anchor, !question.hasCalendarConditions {
      while failuresOfRow.count <= index { failuresOfRow.append(nil) }
      failuresOfRow[index] = failures
    }
    return failures
  }

  /// Returns the first step that an event enters, if it enters any.
  private mutating func step(enteredBy code: UInt32) -> Int? {
    if Int(code) >= kinds.count { kinds = currentKinds() }
    let mask = Int(code) < kinds.count ? kinds[Int(code)].kind.stepMask : 0
    return mask == 0 ? nil : mask.trailingZeroBitCount
  }
}
