import FunnelHistories
import FunnelModel
public import FunnelProjections

extension TrendProjector {
  /// The maximum number of days at which the default unit is a day.
  private static let daysMax = 31
  /// The maximum number of weeks at which the default unit is a week.
  private static let weeksMax = 26

  public func rows(from segments: SegmentedCounts) -> [TrendRow] {
    // The counts of each segment without its last dimension, which is the day.
    var days: [Segment: [CivilDate: SegmentCounts]] = [:]
    for counts in segments.all
    where counts[ids.entered] > 0 || permissions.indices.contains(where: { counts[ids.prompted($0)] > 0 }) {
      guard case .string(let text)? = counts.segment.values.last, let day = CivilDate(text) else { continue }
      days[Segment(values: Array(counts.segment.values.dropLast())), default: [:]][day] = counts
    }
    // A segment may have only pre-prompts. A flow without any entries has no rows.
    guard days.values.contains(where: { $0.values.contains { $0[ids.entered] > 0 } }) else { return [] }
    let unit = query.query.every ?? Self.unit(of: days.values.flatMap { $0.filter { $0.value[ids.entered] > 0 }.keys })
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
      entered: sum(ids.entered),
      completed: sum(ids.completed), inProgress: sum(ids.inProgress), dropped: sum(ids.dropped),
      excluded: query.matcher.hasExclusions ? sum(ids.excluded) : nil,
      permissions: permissions.indices.map {
        TrendPermission(name: permissions[$0].name, prompted: sum(ids.prompted($0)), granted: sum(ids.granted($0)))
      })
  }
}
