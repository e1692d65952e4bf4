package import FunnelModel

/// A period that is a side of a comparison, with a label for programs and a title for people.
package struct ComparedPeriod: Hashable, Sendable {
  package let range: Range<Timestamp>
  /// The time zone in which days begin.
  private let timeZone: TimeZoneRules

  package init(_ range: Range<Timestamp>, in timeZone: TimeZoneRules) {
    self.range = range
    self.timeZone = timeZone
  }

  /// The name in JSON and CSV, with an exclusive end: `2026-11-01..2026-11-08`. A bound that is not at midnight
  /// is written as a UTC time, to the second.
  package var label: String { "\(bound(range.lowerBound))..\(bound(range.upperBound))" }

  private func bound(_ moment: Timestamp) -> String {
    if let day = dayBeginning(at: moment) { return day.description }
    return "\(moment.description.prefix(19))Z"
  }

  /// The display name, with the last day instead of an exclusive end: `2026-11-01 to 11-07`, `2026-11-01`, or
  /// `2026-11-01 to 11-07 12:00` for an end that is not at midnight.
  package var title: String {
    let start = timeZone.day(at: range.lowerBound.milliseconds)
    let first = dayBeginning(at: range.lowerBound)?.description ?? text(of: range.lowerBound)
    guard let end = dayBeginning(at: range.upperBound) else {
      return "\(first) to \(shortened(text(of: range.upperBound), after: start))"
    }
    let last = CivilDate(daysSinceEpoch: end.daysSinceEpoch - 1)
    if last == start, first == start.description { return first }
    return "\(first) to \(shortened(last.description, after: start))"
  }

  /// Returns a moment as local time, such as `2026-11-18 12:00`.
  package func text(of moment: Timestamp) -> String {
    let offset = timeZone.offsetMilliseconds(at: moment.milliseconds)
    let local = Timestamp(milliseconds: moment.milliseconds + offset).description
    return "\(local.prefix(10)) \(local.dropFirst(11).prefix(5))"
  }

  /// Returns a text that begins with a date, without its year if the first day has the same year.
  private func shortened(_ text: String, after first: CivilDate) -> String {
    let year = first.description.prefix(5)
    return text.hasPrefix(year) ? String(text.dropFirst(year.count)) : text
  }

  /// Returns the day that begins at a moment, or `nil` if the moment is not at midnight.
  private func dayBeginning(at moment: Timestamp) -> CivilDate? {
    let day = timeZone.day(at: moment.milliseconds)
    return timeZone.midnight(of: day) == moment ? day : nil
  }
}

extension ComparedPeriod {
  /// Returns the period truncated at a moment, or the whole period if the moment is not after its start.
  package func ending(by moment: Timestamp) -> ComparedPeriod {
    guard moment > range.lowerBound else { return self }
    return ComparedPeriod(range.lowerBound..<min(range.upperBound, moment), in: timeZone)
  }

  /// Returns the preceding period of the same length in local time, for `--versus previous`.
  ///
  /// - Parameter isOpenEnded: Whether the end was omitted. The result then has as many whole days as have begun
  ///   in this period.
  package func previous(isOpenEnded: Bool) -> ComparedPeriod {
    let start: Timestamp
    if isOpenEnded {
      start = moved(range.lowerBound, days: -begunDayCount)
    } else if let first = dayBeginning(at: range.lowerBound), let end = dayBeginning(at: range.upperBound) {
      start = timeZone.midnight(of: CivilDate(daysSinceEpoch: 2 * first.daysSinceEpoch - end.daysSinceEpoch))
    } else {
      start = timeZone.moment(atLocal: 2 * local(range.lowerBound) - local(range.upperBound))
    }
    return ComparedPeriod(min(start, range.lowerBound)..<range.lowerBound, in: timeZone)
  }

  /// The number of days that have begun in the period.
  package var begunDayCount: Int {
    // The smaller of local and elapsed time: seven times 24 hours are a week even if clocks were changed within it.
    let elapsed = range.upperBound.milliseconds - range.lowerBound.milliseconds
    let local = local(range.upperBound) - local(range.lowerBound)
    let (days, remainder) = min(elapsed, local).quotientAndRemainder(dividingBy: Timestamp.millisecondsPerDay)
    return Int(days) + (remainder > 0 ? 1 : 0)
  }

  /// The day on which the period begins.
  package var firstDay: CivilDate { timeZone.day(at: range.lowerBound.milliseconds) }

  /// The weekday of the first day, from 0 to 6, and the number of days that have begun in the period.
  fileprivate var weekdays: (first: Int, count: Int) {
    let first = firstDay.daysSinceEpoch
    return (((first % 7) + 7) % 7, begunDayCount)
  }

  /// Whether both periods have whole weeks, or begin on the same weekday and have the same number of days.
  package func hasSameWeekdays(as other: ComparedPeriod) -> Bool {
    let own = weekdays
    let others = other.weekdays
    if own.count % 7 == 0, others.count % 7 == 0 { return true }
    return own.first == others.first && own.count == others.count
  }

  /// The latest earlier period that has the same weekdays and does not overlap this one, as an argument of
  /// `--versus`, or `nil` if this period does not begin at midnight.
  package var sameDaysEarlier: String? {
    guard let start = dayBeginning(at: range.lowerBound) else { return nil }
    let count = begunDayCount
    let first = start.daysSinceEpoch - (count + 6) / 7 * 7
    return "\(CivilDate(daysSinceEpoch: first))..\(CivilDate(daysSinceEpoch: first + count))"
  }

  /// Returns a moment as milliseconds of local time.
  private func local(_ moment: Timestamp) -> Int64 {
    moment.milliseconds + timeZone.offsetMilliseconds(at: moment.milliseconds)
  }

  /// Returns the moment with the same local time a number of days later.
  private func moved(_ moment: Timestamp, days: Int) -> Timestamp {
    if let day = dayBeginning(at: moment) {
      return timeZone.midnight(of: CivilDate(daysSinceEpoch: day.daysSinceEpoch + days))
    }
    return timeZone.moment(atLocal: local(moment) + Int64(days) * Timestamp.millisecondsPerDay)
  }
}
