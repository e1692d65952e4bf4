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
  /// - Parameter isOpenEnded: Whether the end was not given. The result then has as many civil days as this period touches.
  public func previous(isOpenEnded: Bool) -> ComparedPeriod {
    let start: Timestamp
    if isOpenEnded {
      let last = timeZone.day(at: range.upperBound.milliseconds - 1)
      start = moved(
        range.lowerBound, days: timeZone.day(at: range.lowerBound.milliseconds).daysSinceEpoch - last.daysSinceEpoch - 1)
    } else if let first = dayBeginning(at: range.lowerBound), let end = dayBeginning(at: range.upperBound) {
      start = timeZone.midnight(of: CivilDate(daysSinceEpoch: 2 * first.daysSinceEpoch - end.daysSinceEpoch))
    } else {
      start = timeZone.moment(atLocal: 2 * local(range.lowerBound) - local(range.upperBound))
    }
    return ComparedPeriod(min(start, range.lowerBound)..<range.lowerBound, in: timeZone)
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
