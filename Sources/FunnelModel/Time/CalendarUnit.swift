/// A unit of the calendar into which time is cut: days, ISO 8601 weeks or months.
public enum CalendarUnit: String, Hashable, Sendable, CaseIterable {
  case day, week, month

  /// Returns the first day of the unit that a day belongs to.
  public func start(of day: CivilDate) -> CivilDate {
    switch self {
    case .day: day
    case .week: CivilDate(daysSinceEpoch: day.daysSinceEpoch - day.isoWeekday + 1)
    case .month: CivilDate(daysSinceEpoch: day.daysSinceEpoch - day.components.day + 1)
    }
  }

  /// Returns the first day of the unit after the one that a day belongs to.
  public func end(of day: CivilDate) -> CivilDate {
    let start = start(of: day)
    switch self {
    case .day: return CivilDate(daysSinceEpoch: start.daysSinceEpoch + 1)
    case .week: return CivilDate(daysSinceEpoch: start.daysSinceEpoch + 7)
    // No month has more than 31 days, and none fewer than 28.
    case .month: return self.start(of: CivilDate(daysSinceEpoch: start.daysSinceEpoch + 31))
    }
  }

  /// Returns the name of the unit that a day belongs to: `2026-11-20`, `2026-W47`, `2026-11`.
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
