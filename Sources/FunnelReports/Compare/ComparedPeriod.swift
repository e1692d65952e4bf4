public import FunnelModel

/// A period that is a side of a comparison, with its names for programs and for people.
public struct ComparedPeriod: Hashable, Sendable {
  public let range: Range<Timestamp>
  /// The zone in which days begin.
  private let timeZone: TimeZoneRules

  public init(_ range: Range<Timestamp>, in timeZone: TimeZoneRules) {
    self.range = range
    self.timeZone = timeZone
  }

  /// The name in JSON and CSV, with an exclusive end: `2026-11-01..2026-11-08`. An end that is no midnight is a time, to the second.
  public var label: String { "\(bound(range.lowerBound))..\(bound(range.upperBound))" }

  private func bound(_ moment: Timestamp) -> String {
    if let day = dayBeginning(at: moment) { return day.description }
    return "\(moment.description.prefix(19))Z"
  }

  /// The name for people, with the last day instead of an exclusive end: `2026-11-01 to 11-07`, `2026-11-01`, or
  /// `2026-11-01 to 11-07 12:00` for an end that is no midnight.
  public var title: String {
    let start = timeZone.day(at: range.lowerBound.milliseconds)
    let first = dayBeginning(at: range.lowerBound)?.description ?? text(of: range.lowerBound)
    guard let end = dayBeginning(at: range.upperBound) else {
      return "\(first) to \(shortened(text(of: range.upperBound), after: start))"
    }
    let last = CivilDate(daysSinceEpoch: end.daysSinceEpoch - 1)
    if last == start, first == start.description { return first }
    return "\(first) to \(shortened(last.description, after: start))"
  }

  /// Returns a moment as `2026-11-18 12:00` in the zone.
  public func text(of moment: Timestamp) -> String {
    let offset = timeZone.offsetMilliseconds(at: moment.milliseconds)
    let local = Timestamp(milliseconds: moment.milliseconds + offset).description
    return "\(local.prefix(10)) \(local.dropFirst(11).prefix(5))"
  }

  /// Returns a text that begins with a date, without the year if it is that of the first day.
  private func shortened(_ text: String, after first: CivilDate) -> String {
    let year = first.description.prefix(5)
    return text.hasPrefix(year) ? String(text.dropFirst(year.count)) : text
  }

  private func dayBeginning(at moment: Timestamp) -> CivilDate? {
    let day = timeZone.day(at: moment.milliseconds)
    return timeZone.midnight(of: day) == moment ? day : nil
  }
}

extension ComparedPeriod {
  /// Returns the part of the period up to a moment, or the whole period if it had not begun then.
  public func ending(by moment: Timestamp) -> ComparedPeriod {
    guard moment > range.lowerBound else { return self }
    return ComparedPeriod(range.lowerBound..<min(range.upperBound, moment), in: timeZone)
  }

  /// Returns the period of the same length right before this one, by the clocks of the zone: `--versus previous`.
  ///
  /// - Parameter isOpenEnded: Whether the end was not given. The result then has as many whole days as this period has begun.
  public func previous(isOpenEnded: Bool) -> ComparedPeriod {
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

  /// The number of days that have begun in the period: days of the zone's clocks, or of 24 hours where these are fewer, because seven times 24
  /// hours are a week whatever the clocks did.
  public var begunDayCount: Int {
    let elapsed = range.upperBound.milliseconds - range.lowerBound.milliseconds
    let local = local(range.upperBound) - local(range.lowerBound)
    let (days, rest) = min(elapsed, local).quotientAndRemainder(dividingBy: Timestamp.millisecondsPerDay)
    return Int(days) + (rest > 0 ? 1 : 0)
  }

  /// The day on which the period begins.
  public var firstDay: CivilDate { timeZone.day(at: range.lowerBound.milliseconds) }

  /// Returns a period's first day of the week and the number of days that have begun in it, so that two periods can be compared.
  fileprivate var weekdays: (first: Int, count: Int) {
    let first = firstDay.daysSinceEpoch
    return (((first % 7) + 7) % 7, begunDayCount)
  }

  /// Returns whether two periods have each day of the week equally often, or begin on the same one and are equally long.
  public func hasSameWeekdays(as other: ComparedPeriod) -> Bool {
    let (own, others) = (weekdays, other.weekdays)
    if own.count % 7 == 0, others.count % 7 == 0 { return true }
    return own.first == others.first && own.count == others.count
  }

  /// The latest earlier period with the same days of the week that does not overlap this one, as `--versus` takes it, or nil if this period
  /// does not begin at midnight.
  public var sameDaysEarlier: String? {
    guard let start = dayBeginning(at: range.lowerBound) else { return nil }
    let count = begunDayCount
    let first = start.daysSinceEpoch - (count + 6) / 7 * 7
    return "\(CivilDate(daysSinceEpoch: first))..\(CivilDate(daysSinceEpoch: first + count))"
  }

  private func local(_ moment: Timestamp) -> Int64 {
    moment.milliseconds + timeZone.offsetMilliseconds(at: moment.milliseconds)
  }

  /// Returns the moment at which clocks show the same time on another day.
  private func moved(_ moment: Timestamp, days: Int) -> Timestamp {
    if let day = dayBeginning(at: moment) {
      return timeZone.midnight(of: CivilDate(daysSinceEpoch: day.daysSinceEpoch + days))
    }
    return timeZone.moment(atLocal: local(moment) + Int64(days) * Timestamp.millisecondsPerDay)
  }
}
