package import FunnelModel
package import FunnelProjections

/// Counts the groups that return in the periods after they entered or completed a flow (specification section 7).
///
/// Period k begins k units after the group's start and ends one unit later, by elapsed time. A group returns in a
/// period if its subject, or person, has a return event in it. Return events may belong to any flow of the app or to
/// none, and may be after the conversion window (``FlowCatalog/addingReturnFlows(for:_:)``).
///
/// Few cohorts and periods exist, so each combination is counted as a value.
package final class RetentionProjector: Projector {
  package static let readsChain = true

  /// A count of one cohort: its groups, or those of one period.
  ///
  /// State files store the integer values, so they are a part of the file format.
  private enum Cell {
    case groups
    /// The groups whose period is over.
    case over(period: Int)
    /// Those of them that returned in the period.
    case returned(period: Int)

    var value: PropertyValue {
      switch self {
      case .groups: .integer(0)
      case .over(let period): .integer(Int64(2 * period))
      case .returned(let period): .integer(Int64(2 * period + 1))
      }
    }

    /// Creates the cell with a value, or returns `nil` if there is none, as in a damaged state.
    init?(_ value: PropertyValue, periodCount: Int) {
      guard case .integer(let number) = value, (0...Int64(2 * periodCount + 1)).contains(number) else { return nil }
      switch (number, number % 2) {
      case (0, _): self = .groups
      case (1, _): return nil
      case (_, 0): self = .over(period: Int(number / 2))
      default: self = .returned(period: Int(number / 2))
      }
    }
  }

  private let query: FlowQuery
  private let retention: RetentionQuery
  private let unit: CalendarUnit
  // The counter IDs, and the ID of the values: the first day of a cohort, in days since the epoch, and a cell.
  private let groups = 0
  /// The groups of ``RetentionQuery/listed``.
  static let listed = 1
  private let cells = 0

  package init(_ query: FlowQuery) {
    self.query = query
    retention = query.query.retention ?? RetentionQuery()
    unit = query.query.retentionUnit
  }

  package var counterCount: Int { 2 }
  package var durationCount: Int { 0 }
  package var valueKeys: [[Dimension]?] { [nil] }

  package func contribute(_ events: GroupEvents, along match: ChainMatch, into contribution: inout Contribution) {
    guard match.isCounted, let start = start(of: match) else { return }
    let access = contribution.accessTimes()
    let from = events.milliseconds(at: start, access)
    let bucket = unit.start(of: query.query.timeZone.day(at: from))
    let cohort = PropertyValue.integer(Int64(bucket.daysSinceEpoch))
    let returns = Self.periods(of: events.returnTimes(access), from: from, unit: unit.periodMilliseconds)
    let now = query.query.now.milliseconds
    contribution.beginSection(at: match.anchor)
    contribution.count(groups)
    contribution.noteValues(cells, [cohort, Cell.groups.value])
    for period in 1...max(retention.periodCount, retention.listed?.period ?? 1) {
      // The end is exclusive, so a period is over when its end is reached.
      guard from + Int64(period + 1) * unit.periodMilliseconds <= now else { break }
      contribution.noteValues(cells, [cohort, Cell.over(period: period).value])
      guard returns.contains(Int64(period)) else { continue }
      contribution.noteValues(cells, [cohort, Cell.returned(period: period).value])
      if let listed = retention.listed, listed.period == period, listed.cohort ?? bucket == bucket {
        contribution.count(Self.listed)
      }
    }
  }

  /// Returns the index of the event from which periods are measured, or `nil` if the group does not have it.
  private func start(of match: ChainMatch) -> Int? {
    switch retention.start {
    case .entered: match.anchor
    case .completed: match.matchedStepCount == query.matcher.requiredSteps.count ? match.last : nil
    }
  }

  /// Returns the periods in which times lie. Times before the first period are skipped.
  private static func periods(of times: [Int64], from start: Int64, unit: Int64) -> Set<Int64> {
    var periods: Set<Int64> = []
    for time in times where time >= start + unit { periods.insert((time - start) / unit) }
    return periods
  }
}

extension RetentionProjector {
  package func rows(from segments: SegmentedCounts) -> [RetentionRow] {
    segments.sized(by: groups).map { counts in
      let cohorts = cohorts(of: counts.values(of: cells))
      return RetentionRow(
        key: RowKey(flow: query.flow, segment: counts.segment), title: query.flow.title, every: unit,
        start: retention.start, returnEvents: retention.returnEvents,
        total: cohorts.reduce(into: RetentionCohort(bucket: nil, periodCount: retention.periodCount)) { $0.add($1) },
        cohorts: cohorts)
    }
  }

  /// Returns the cohorts from the first to the last with a group, in order.
  private func cohorts(of values: ValueCounts) -> [RetentionCohort] {
    var byStart: [CivilDate: RetentionCohort] = [:]
    for (cohort, count) in values.counts {
      guard cohort.count == 2, case .integer(let day) = cohort[0],
        let cell = Cell(cohort[1], periodCount: retention.periodCount)
      else { continue }
      let start = CivilDate(daysSinceEpoch: Int(day))
      var counted = byStart[start] ?? self.cohort(from: start)
      switch cell {
      case .groups: counted.groups += count
      case .over(let period): counted.periods[period - 1].over += count
      case .returned(let period): counted.periods[period - 1].returned += count
      }
      byStart[start] = counted
    }
    guard let first = byStart.keys.min(), let last = byStart.keys.max() else { return [] }
    var cohorts: [RetentionCohort] = []
    var start = first
    while start <= last {
      cohorts.append(byStart[start] ?? cohort(from: start))
      start = unit.end(of: start)
    }
    return cohorts
  }

  private func cohort(from start: CivilDate) -> RetentionCohort {
    RetentionCohort(
      bucket: RetentionBucket(name: unit.name(of: start), start: start, end: unit.end(of: start)),
      periodCount: retention.periodCount)
  }
}
