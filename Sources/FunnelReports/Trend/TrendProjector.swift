import FunnelSequences
import FunnelModel
package import FunnelProjections

/// Counts entries, completions and grants by the day on which they began, which can be summed to any longer
/// unit (specification section 7).
///
/// The day is the last dimension of the query (``TrendReport/counted(_:)``).
package final class TrendProjector: Projector {
  package static let readsChain = true

  private let query: FlowQuery
  private let ids: TrendCounterIDs
  private let matcher: PermissionMatcher

  package init(_ query: FlowQuery) {
    self.query = query
    matcher = PermissionMatcher(query)
    ids = TrendCounterIDs(permissionCount: matcher.permissions.count)
  }

  package var counterCount: Int { ids.counterCount }
  package var durationCount: Int { 0 }

  package func contribute(_ events: GroupEvents, along match: ChainMatch, into contribution: inout Contribution) {
    if match.isCounted { contributeChain(of: events, match, into: &contribution) }
    guard !matcher.permissions.isEmpty else { return }
    matcher.withAnswers(in: events) { answers, permissionEvents in
      for permission in answers.counted {
        contribution.beginSection(at: permissionEvents[permission].prompt)
        contribution.count(ids.prompted[permission])
        let outcome = answers.outcome(of: permission, permissionEvents[permission])
        if outcome == .granted { contribution.count(ids.granted[permission]) }
      }
    }
  }

  private func contributeChain(
    of events: GroupEvents, _ match: ChainMatch, into contribution: inout Contribution
  ) {
    contribution.beginSection(at: match.anchor)
    contribution.count(ids.entered)
    switch query.matcher.ending(of: events, along: match) {
    case .completed: contribution.count(ids.completed)
    case .excluded: contribution.count(ids.excluded)
    case .ended: contribution.count(ids.dropped)
    case .open:
      contribution.count(ids.dropped, .ifClosed)
      contribution.count(ids.inProgress, .ifOpen)
    }
  }
}

// MARK: - Rows

extension TrendProjector {
  /// The maximum number of days at which the default unit is a day.
  private static let daysMax = 31
  /// The maximum number of weeks at which the default unit is a week.
  private static let weeksMax = 26

  package func rows(from segments: SegmentedCounts) -> [TrendRow] {
    let days = countsByDay(segments)
    // A segment may have only pre-prompts. A flow without any entries has no rows.
    let daysWithEntries = days.values.flatMap { $0.filter { $0.value[ids.entered] > 0 }.keys }
    guard !daysWithEntries.isEmpty else { return [] }
    let unit = query.query.every ?? Self.unit(of: daysWithEntries)
    let rows = days.map { segment, days in
      let buckets = buckets(of: days, every: unit)
      return (segment: segment, size: buckets.reduce(0) { $0 + $1.entered }, element: buckets)
    }
    return segments.inOrder(rows, dimensionCount: query.query.by.count - 1).map { row in
      TrendRow(
        key: RowKey(flow: query.flow, segment: row.segment), title: query.flow.title, every: unit, entered: row.size,
        buckets: row.element)
    }
  }

  /// Returns the counts of each day with an entry or a pre-prompt, by segment without its last dimension, the day.
  private func countsByDay(_ segments: SegmentedCounts) -> [Segment: [CivilDate: SegmentCounts]] {
    var days: [Segment: [CivilDate: SegmentCounts]] = [:]
    for counts in segments.all where counts[ids.entered] > 0 || ids.prompted.ids.contains(where: { counts[$0] > 0 }) {
      guard case .string(let text)? = counts.segment.values.last, let day = CivilDate(text) else { continue }
      days[Segment(values: Array(counts.segment.values.dropLast())), default: [:]][day] = counts
    }
    return days
  }

  /// Returns the default unit for the days with entries: the shortest one without too many buckets.
  private static func unit(of days: [CivilDate]) -> CalendarUnit {
    guard let first = days.min(), let last = days.max() else { return .day }
    if last.daysSinceEpoch - first.daysSinceEpoch < daysMax { return .day }
    let weeks = CalendarUnit.week.start(of: last).daysSinceEpoch - CalendarUnit.week.start(of: first).daysSinceEpoch
    return weeks / 7 < weeksMax ? .week : .month
  }

  private func buckets(of days: [CivilDate: SegmentCounts], every unit: CalendarUnit) -> [TrendBucket] {
    guard let first = days.keys.min(), let last = days.keys.max() else { return [] }
    let countsByStart = Dictionary(grouping: days, by: { unit.start(of: $0.key) }).mapValues { $0.map(\.value) }
    var buckets: [TrendBucket] = []
    var start = unit.start(of: first)
    while start <= last {
      let end = unit.end(of: start)
      assert(start < end, "a bucket has at least one day")
      buckets.append(bucket(unit.name(of: start), from: start, to: end, countsByStart[start] ?? []))
      start = end
    }
    return buckets
  }

  private func bucket(_ name: String, from start: CivilDate, to end: CivilDate, _ counts: [SegmentCounts]) -> TrendBucket {
    func sum(_ counter: Int) -> Int { counts.reduce(0) { $0 + $1[counter] } }
    let timeZone = query.query.timeZone
    let whole = timeZone.midnight(of: start)..<timeZone.midnight(of: end)
    return TrendBucket(
      name: name, start: start, end: end, isClosed: !query.clock.isOpen(from: whole.upperBound.milliseconds - 1),
      isPartial: query.query.since.map { $0 > whole.lowerBound } ?? false
        || query.query.until.map { $0 < whole.upperBound } ?? false,
      entered: sum(ids.entered), completed: sum(ids.completed), inProgress: sum(ids.inProgress), dropped: sum(ids.dropped),
      excluded: query.matcher.hasExclusions ? sum(ids.excluded) : nil,
      permissions: matcher.permissions.enumerated().map { index, permission in
        TrendPermission(name: permission.name, prompted: sum(ids.prompted[index]), granted: sum(ids.granted[index]))
      })
  }
}

/// The counter IDs of a trend report.
private struct TrendCounterIDs {
  let entered: Int
  let completed: Int
  let dropped: Int
  let inProgress: Int
  let excluded: Int
  /// The groups with a pre-prompt of each permission.
  let prompted: CounterBlock
  /// The groups that granted each permission.
  let granted: CounterBlock
  let counterCount: Int

  init(permissionCount: Int) {
    var layout = CounterLayout()
    entered = layout.counter()
    completed = layout.counter()
    dropped = layout.counter()
    inProgress = layout.counter()
    excluded = layout.counter()
    prompted = layout.block(permissionCount)
    granted = layout.block(permissionCount)
    counterCount = layout.count
  }
}
