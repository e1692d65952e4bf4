/// A calendar unit that divides time: a day, an ISO 8601 week or a month.
public enum CalendarUnit: String, Hashable, Sendable, CaseIterable {
  case day, week, month

  /// Returns the first day of the unit that contains a day.
  public func start(of day: CivilDate) -> CivilDate {
    switch self {
    case .day: day
    case .week: CivilDate(daysSinceEpoch: day.daysSinceEpoch - day.isoWeekday + 1)
    case .month: CivilDate(daysSinceEpoch: day.daysSinceEpoch - day.components.day + 1)
    }
  }

  /// Returns the first day after the unit that contains a day.
  public func end(of day: CivilDate) -> CivilDate {
    let start = start(of: day)
    switch self {
    case .day: return CivilDate(daysSinceEpoch: start.daysSinceEpoch + 1)
    case .week: return CivilDate(daysSinceEpoch: start.daysSinceEpoch + 7)
    // 31 days after the first of a month is always a day of the next month, because a month has 28 to 31 days.
    case .month: return self.start(of: CivilDate(daysSinceEpoch: start.daysSinceEpoch + 31))
    }
  }

  /// Returns the name of the unit that contains a day: `2026-11-20`, `2026-W47` or `2026-11`.
  public func name(of day: CivilDate) -> String {
    switch self {
    case .day: return day.description
    case .month: return String(day.description.dropLast(3))
    case .week:
      let (year, week) = day.isoWeek
      return "\(year)-W\(week < 10 ? "0" : "")\(week)"
    }
  }
}
