package import FunnelModel

/// The days that a nightly run reports, and the queries for them.
///
/// The days end at the last midnight in the requested time zone: runs at 03:00 and at 23:00 report the same
/// days. Queries are as of the current time, so groups that began yesterday may still be in progress.
package struct NightlyRunDays {
  /// The lengths of the reports in days, with the prefixes of their file names.
  static let ranges: [(name: String, days: Int)] = [("yesterday", 1), ("7d", 7), ("30d", 30)]
  /// The number of days before the last one with which the overview page compares it.
  static let comparedDays = 7
  /// The number of days in the trend of the overview page.
  static let drawnDays = 30

  /// The moment that the reports are as of.
  let now: Timestamp
  /// The time zone in which days begin and end.
  let timeZone: TimeZoneRules
  /// The last completed day.
  let last: CivilDate

  /// Creates the days that end at the last midnight before a moment.
  package init(now: Timestamp, timeZone: TimeZoneRules) {
    self.now = now
    self.timeZone = timeZone
    last = CivilDate(daysSinceEpoch: timeZone.day(at: now.milliseconds).daysSinceEpoch - 1)
  }

  /// Returns the range of a number of days that ends with the last one.
  func days(_ count: Int) -> ClosedRange<CivilDate> { CivilDate(daysSinceEpoch: last.daysSinceEpoch - count + 1)...last }

  /// The query without a period.
  var always: ReportQuery {
    var query = ReportQuery(now: now)
    query.timeZone = timeZone
    return query
  }

  /// The query without a period, segmented by the day on which groups began.
  package var byDay: ReportQuery {
    var query = always
    query.by = [.day]
    return query
  }

  /// Returns the query for a number of days that ends with a day.
  func query(days: Int, endingWith end: CivilDate) -> ReportQuery {
    var query = always
    query.since = midnight(before: end, days: days - 1)
    query.until = midnight(before: end, days: -1)
    return query
  }

  /// The query for the trend on the overview page.
  var trend: ReportQuery {
    var query = query(days: Self.drawnDays, endingWith: last)
    query.every = .day
    return query
  }

  /// Returns the query for an earlier day as of the moment when it was as old as the last day is now.
  ///
  /// The age of the last day ends with the last event of the log, if that is before the current time. For
  /// example, if the log ends at midnight, the hours after midnight do not count for the earlier days either.
  ///
  /// - Parameters:
  ///   - daysBefore: The number of days between the earlier day and the last one.
  ///   - lastEvent: The time of the last event in the log, or `nil` if the log is empty.
  func atSameAge(daysBefore: Int, lastEvent: Timestamp?) -> ReportQuery {
    let day = CivilDate(daysSinceEpoch: last.daysSinceEpoch - daysBefore)
    var query = query(days: 1, endingWith: day)
    let end = midnight(before: day, days: -1)
    let lastEnd = midnight(before: last, days: -1)
    // If the log ends before the end of the last day, the earlier day is cut at its own end.
    let known = lastEvent.map { min(now, max(lastEnd, $0)) } ?? now
    query.now = Timestamp(milliseconds: end.milliseconds + known.milliseconds - lastEnd.milliseconds)
    return query
  }

  /// Returns the start of the day that is a number of days before another one.
  private func midnight(before day: CivilDate, days: Int) -> Timestamp {
    timeZone.midnight(of: CivilDate(daysSinceEpoch: day.daysSinceEpoch - days))
  }
}
