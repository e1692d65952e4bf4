import FunnelModel
import FunnelReports

/// The days and the questions of a night.
///
/// All days end at the last midnight in the requested time zone: a run at 03:00 and one at 23:00 are of the same days. The moment of the run
/// is the current time, so who began yesterday may still be in progress.
struct NightlyRunDays {
  /// The ranges of the reports, with the prefixes of their file names.
  static let ranges: [(name: String, days: Int)] = [("yesterday", 1), ("7d", 7), ("30d", 30)]
  /// The number of days before the last one that the page over all nights compares it with, and of days that it draws.
  static let (comparedDays, drawnDays) = (7, 30)

  let now: Timestamp
  let timeZone: TimeZoneRules
  /// The last completed day.
  let last: CivilDate

  init(now: Timestamp, timeZone: TimeZoneRules) {
    self.now = now
    self.timeZone = timeZone
    last = CivilDate(daysSinceEpoch: timeZone.day(at: now.milliseconds).daysSinceEpoch - 1)
  }

  /// Returns a number of days up to and including the last one.
  func days(_ count: Int) -> ClosedRange<CivilDate> { CivilDate(daysSinceEpoch: last.daysSinceEpoch - count + 1)...last }

  /// A query about all time.
  var always: ReportQuery {
    var query = ReportQuery(now: now)
    query.timeZone = timeZone
    return query
  }

  /// A query about all time, by the day on which groups began.
  var byDay: ReportQuery {
    var query = always
    query.by = [.day]
    return query
  }

  /// Returns a query about a number of days up to and including a day.
  func query(days: Int, endingWith end: CivilDate) -> ReportQuery {
    var query = always
    query.since = midnight(before: end, days: days - 1)
    query.until = midnight(before: end, days: -1)
    return query
  }

  /// The query of the trend on the page over all nights.
  var trend: ReportQuery {
    var query = query(days: Self.drawnDays, endingWith: last)
    query.every = .day
    return query
  }

  /// Returns a query about a day before the last one, with its events up to the age that the events of the last day have reached.
  ///
  /// That age ends with the last event of the log, if this is before the current time. A log that ends at midnight has no events of the hours
  /// after it, so those hours do not count for the earlier days either.
  func atSameAge(daysBefore: Int, lastEvent: Timestamp?) -> ReportQuery {
    let day = CivilDate(daysSinceEpoch: last.daysSinceEpoch - daysBefore)
    var query = query(days: 1, endingWith: day)
    let (end, lastEnd) = (midnight(before: day, days: -1), midnight(before: last, days: -1))
    // A log that ends before the last day is over says nothing of an age.
    let known = lastEvent.map { min(now, max(lastEnd, $0)) } ?? now
    query.now = Timestamp(milliseconds: end.milliseconds + known.milliseconds - lastEnd.milliseconds)
    return query
  }

  private func midnight(before day: CivilDate, days: Int) -> Timestamp {
    timeZone.midnight(of: CivilDate(daysSinceEpoch: day.daysSinceEpoch - days))
  }
}
