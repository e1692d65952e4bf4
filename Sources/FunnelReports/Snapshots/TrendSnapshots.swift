package import FunnelModel

/// The numbers of days whose events were deleted, from the snapshots of a store.
package struct TrendSnapshots: Sendable {
  /// The counts of one flow version on one day.
  private struct Day {
    var entered = 0
    var completed = 0
    var inProgress = 0
    var dropped = 0
    var prompted: [String: Int] = [:]
    var granted: [String: Int] = [:]
  }

  private var days: [FlowReference: [CivilDate: Day]] = [:]

  package init() {}

  /// Adds a line (``SnapshotLine``). Several lines of a day are summed, because their events were deleted at
  /// different times.
  ///
  /// - Throws: ``FunnelError`` (`inputOutput`) if a count is out of range.
  package mutating func add(_ line: [UInt8]) throws(FunnelError) {
    guard let contents = SnapshotLine.Contents(parsing: line), let day = contents.day else { return }
    for row in contents.rows(of: FunnelReport.name) {
      let flow = row.flow
      var counts = days[flow]?[day] ?? Day()
      try row.json.addCount("entered", to: &counts.entered, of: day)
      try row.json.addCount("completed", to: &counts.completed, of: day)
      try row.json.addCount("in_progress", to: &counts.inProgress, of: day)
      try row.json.addCount("dropped", to: &counts.dropped, of: day)
      days[flow, default: [:]][day] = counts
    }
    for row in contents.rows(of: GrantsReport.name) {
      guard let permission = row.json["permission"]?.string else { continue }
      let flow = row.flow
      var counts = days[flow]?[day] ?? Day()
      try row.json.addCount("prompted", to: &counts.prompted[permission, default: 0], of: day)
      try row.json.addCount("granted", to: &counts.granted[permission, default: 0], of: day)
      days[flow, default: [:]][day] = counts
    }
  }

  /// Returns whether snapshots can provide the rows of a query.
  ///
  /// They contain UTC days, without dimensions, conditions, or options other than those of the flow definitions.
  package static func answer(_ query: ReportQuery) -> Bool {
    query.every == .day && query.timeZone.name == TimeZoneRules.utc.name && query.by.isEmpty && query.conditions.isEmpty
      && query.window == nil && query.order == .ordered && query.countBy == nil && !query.isMature && query.exclusions.isEmpty
      && query.steps.isEmpty
  }

  /// Returns the rows of a trend by day, completed with the days that only the snapshots have.
  ///
  /// - Parameters:
  ///   - flows: The flow versions of the trend.
  ///   - query: A query for which ``answer(_:)`` is `true`.
  func completed(_ rows: [TrendRow], flows: [FlowDefinition], query: ReportQuery) -> [TrendRow] {
    precondition(Self.answer(query), "snapshots count by the day, and nothing else")
    var rows = rows
    for flow in flows {
      let key = RowKey(flow: flow)
      let known = (days[key.flowReference] ?? [:]).filter { Self.isInside($0.key, query) }
      guard !known.isEmpty else { continue }
      if let index = rows.firstIndex(where: { $0.key == key }) {
        rows[index] = completed(rows[index], known, flow)
      } else if known.values.contains(where: { $0.entered > 0 }) {
        let row = TrendRow(key: key, title: flow.title, every: .day, entered: 0, buckets: [])
        rows.append(completed(row, known, flow))
      }
    }
    return rows.sorted { $0.key.flowReference < $1.key.flowReference }
  }

  private static func isInside(_ day: CivilDate, _ query: ReportQuery) -> Bool {
    let end = CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1).midnight
    return day.midnight >= query.since ?? day.midnight && end <= query.until ?? end
  }

  private func completed(_ row: TrendRow, _ known: [CivilDate: Day], _ flow: FlowDefinition) -> TrendRow {
    var buckets = Dictionary(uniqueKeysWithValues: row.buckets.map { ($0.start, $0) })
    for (day, counts) in known {
      // If the log has events of the day, it has precedence.
      if let bucket = buckets[day], bucket.entered > 0 || bucket.permissions.contains(where: { $0.prompted > 0 }) { continue }
      buckets[day] = bucket(of: day, counts, flow)
    }
    guard let first = buckets.keys.min(), let last = buckets.keys.max() else { return row }
    var result = row
    result.buckets = (first.daysSinceEpoch...last.daysSinceEpoch).map { daysSinceEpoch in
      let day = CivilDate(daysSinceEpoch: daysSinceEpoch)
      return buckets[day] ?? bucket(of: day, Day(), flow)
    }
    result.entered = result.buckets.reduce(0) { $0 + $1.entered }
    return result
  }

  /// Returns the bucket of a day without events in the log. It is closed, because such a day is older than any
  /// window.
  private func bucket(of day: CivilDate, _ counts: Day, _ flow: FlowDefinition) -> TrendBucket {
    TrendBucket(
      name: CalendarUnit.day.name(of: day), start: day, end: CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1), isClosed: true,
      entered: counts.entered, completed: counts.completed, inProgress: counts.inProgress, dropped: counts.dropped,
      excluded: nil,
      permissions: flow.permissions.map {
        TrendPermission(name: $0.name, prompted: counts.prompted[$0.name] ?? 0, granted: counts.granted[$0.name] ?? 0)
      }, isFromSnapshot: counts.entered > 0 || !counts.prompted.isEmpty)
  }
}

extension Report {
  /// Completes a trend by day with the days that only the snapshots have. Does nothing for other reports.
  package mutating func complete(with snapshots: TrendSnapshots, flows: [FlowDefinition]) {
    guard let rows = self[TrendReport.self], TrendSnapshots.answer(query) else { return }
    self[TrendReport.self] = snapshots.completed(rows, flows: flows, query: query)
  }
}

extension JSONDocument.Node {
  /// Adds the count of a key to a sum, if the key exists.
  fileprivate func addCount(_ key: String, to sum: inout Int, of day: CivilDate) throws(FunnelError) {
    guard let count = self[key]?.integer else { return }
    guard (0...Int64(Limits.countMax)).contains(count), sum + Int(count) <= Limits.countMax else {
      throw FunnelError(
        .inputOutput,
        "the snapshot of \(day) is damaged, its \(key) can't be \(count), restore the snapshots from a backup")
    }
    sum += Int(count)
  }
}
