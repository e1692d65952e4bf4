/// A day of the proleptic Gregorian calendar.
///
/// The conversions are Howard Hinnant's `days_from_civil` and `civil_from_days` (chrono-Compatible Low-Level
/// Date Algorithms, howardhinnant.github.io/date_algorithms.html). Years begin in March, which puts the leap
/// day at the end of a year.
package struct CivilDate: Hashable, Comparable, Sendable {
  /// The number of days since 1970-01-01.
  package let daysSinceEpoch: Int

  /// The number of years in an era, after which the calendar repeats.
  private static let yearsPerEra = 400
  private static let daysPerEra = 146_097
  /// The number of days from 0000-03-01, the start of era 0, to 1970-01-01.
  private static let daysFromEraToEpoch = 719_468

  /// Creates the day a given number of days after 1970-01-01.
  package init(daysSinceEpoch: Int) {
    self.daysSinceEpoch = daysSinceEpoch
  }

  /// Creates a day, or returns `nil` if the calendar does not contain it.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, ofYear: year) else { return nil }
    let marchYear = month <= 2 ? year - 1 : year
    let era = (marchYear >= 0 ? marchYear : marchYear - (Self.yearsPerEra - 1)) / Self.yearsPerEra
    let yearOfEra = marchYear - era * Self.yearsPerEra
    let monthAfterMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = Self.days(beforeMonthAfterMarch: monthAfterMarch) + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    daysSinceEpoch = era * Self.daysPerEra + dayOfEra - Self.daysFromEraToEpoch
  }

  /// The year, month (1 to 12) and day (1 to 31).
  package var components: (year: Int, month: Int, day: Int) {
    let daysSinceEra0 = daysSinceEpoch + Self.daysFromEraToEpoch
    let era = (daysSinceEra0 >= 0 ? daysSinceEra0 : daysSinceEra0 - (Self.daysPerEra - 1)) / Self.daysPerEra
    let dayOfEra = daysSinceEra0 - era * Self.daysPerEra
    // Without leap days, every year has 365 days. There is a leap day every 4 years (1460 days), except every 100
    // (36,524 days), and one on the last day of the era.
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // The inverse of `days(beforeMonthAfterMarch:)`.
    let monthAfterMarch = (5 * dayOfYear + 2) / 153
    let month = monthAfterMarch < 10 ? monthAfterMarch + 3 : monthAfterMarch - 9
    let year = yearOfEra + era * Self.yearsPerEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - Self.days(beforeMonthAfterMarch: monthAfterMarch) + 1)
  }

  /// Returns the number of days from March 1 to the first day of a month, where March is month 0.
  @inline(__always)
  private static func days(beforeMonthAfterMarch month: Int) -> Int {
    // From March on, every five months have 153 days, which alternate between 31 and 30 in each five.
    (153 * month + 2) / 5
  }

  /// The day of the week, from 1 for Monday to 7 for Sunday (ISO 8601).
  package var isoWeekday: Int {
    let remainder = (daysSinceEpoch + 3) % 7
    return (remainder < 0 ? remainder + 7 : remainder) + 1
  }

  /// The names of the days of the week, from Monday to Sunday.
  package static let weekdayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

  /// Returns the day of the week with a given name, from 1 for `Mon` to 7 for `Sun`, or `nil` for any other text.
  package static func isoWeekday(named name: String) -> Int? { weekdayNames.firstIndex(of: name).map { $0 + 1 } }

  /// Creates the day with an English name: `today`, `yesterday`, or the last day of the week with a name, which may be today. Case does
  /// not matter. Returns `nil` for any other text.
  package init?(named name: String, today: CivilDate) {
    let name = name.lowercased()
    switch name {
    case "today": self = today
    case "yesterday": self = CivilDate(daysSinceEpoch: today.daysSinceEpoch - 1)
    default:
      let names = zip(Self.fullWeekdayNames, Self.weekdayNames).map { [$0.lowercased(), $1.lowercased()] }
      guard let index = names.firstIndex(where: { $0.contains(name) }) else { return nil }
      self = CivilDate(daysSinceEpoch: today.daysSinceEpoch - (today.isoWeekday - 1 - index + 7) % 7)
    }
  }

  /// The full names of the days of the week, from Monday to Sunday.
  package static let fullWeekdayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  /// The ISO 8601 week of this day, and the year that the week belongs to, which is the year of its Thursday.
  package var isoWeek: (year: Int, week: Int) {
    let thursday = CivilDate(daysSinceEpoch: daysSinceEpoch - isoWeekday + 4)
    let year = thursday.components.year
    let firstDay = CivilDate(year: year, month: 1, day: 1)!
    return (year, (thursday.daysSinceEpoch - firstDay.daysSinceEpoch) / 7 + 1)
  }

  /// Midnight UTC at the start of this day.
  package var midnight: Timestamp {
    Timestamp(milliseconds: Int64(daysSinceEpoch) * Timestamp.millisecondsPerDay)
  }

  package static func < (lhs: CivilDate, rhs: CivilDate) -> Bool { lhs.daysSinceEpoch < rhs.daysSinceEpoch }

  private static func days(inMonth month: Int, ofYear year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension CivilDate: CustomStringConvertible {
  /// The day as `2026-11-20`. A year outside 0 to 9999 has a sign, as ISO 8601 requires.
  package var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the day as `2026-11-20`. A year outside 0 to 9999 has a sign, as ISO 8601 requires.
  package func append(to bytes: inout [UInt8]) {
    let (year, month, day) = components
    assert((1...12).contains(month) && (1...31).contains(day), "components are those of a calendar day")
    if !(0...9999).contains(year) { bytes.append(UInt8(ascii: year < 0 ? "-" : "+")) }
    bytes.appendDigits(abs(year), width: abs(year) > 9999 ? String(abs(year)).count : 4)
    bytes.append(UInt8(ascii: "-"))
    bytes.appendDigits(month, width: 2)
    bytes.append(UInt8(ascii: "-"))
    bytes.appendDigits(day, width: 2)
  }

  /// Parses a day such as `2026-11-20`, or returns `nil` if the text is anything else.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, let parsed = Timestamp.parseDate(bytes.span) else { return nil }
    self = parsed
  }
}

/// A calendar unit that divides time: a day, an ISO 8601 week or a month.
package enum CalendarUnit: String, Hashable, Sendable, CaseIterable {
  case day, week, month

  /// Returns the first day of the unit that contains a day.
  package func start(of day: CivilDate) -> CivilDate {
    switch self {
    case .day: day
    case .week: CivilDate(daysSinceEpoch: day.daysSinceEpoch - day.isoWeekday + 1)
    case .month: CivilDate(daysSinceEpoch: day.daysSinceEpoch - day.components.day + 1)
    }
  }

  /// Returns the first day after the unit that contains a day.
  package func end(of day: CivilDate) -> CivilDate {
    let start = start(of: day)
    switch self {
    case .day: return CivilDate(daysSinceEpoch: start.daysSinceEpoch + 1)
    case .week: return CivilDate(daysSinceEpoch: start.daysSinceEpoch + 7)
    // 31 days after the first of a month is always a day of the next month, because a month has 28 to 31 days.
    case .month: return self.start(of: CivilDate(daysSinceEpoch: start.daysSinceEpoch + 31))
    }
  }

  /// Returns the first day of the unit with a name (``name(of:)``), or `nil` if no unit has it.
  package func start(named name: String) -> CivilDate? {
    let day: CivilDate? =
      switch self {
      case .day: CivilDate(name)
      case .month: CivilDate("\(name)-01")
      case .week: CivilDate.firstDay(ofISOWeek: name)
      }
    // Only the name itself is accepted, so that no day has two names.
    return day.flatMap { self.name(of: $0) == name ? $0 : nil }
  }

  /// Returns the name of the unit that contains a day: `2026-11-20`, `2026-W47` or `2026-11`.
  package func name(of day: CivilDate) -> String {
    switch self {
    case .day: return day.description
    case .month: return String(day.description.dropLast(3))
    case .week:
      let (year, week) = day.isoWeek
      return "\(year)-W\(week < 10 ? "0" : "")\(week)"
    }
  }
}

extension CivilDate {
  /// Returns the Monday of a week such as `2026-W47`, or `nil` if the text is anything else.
  fileprivate static func firstDay(ofISOWeek text: String) -> CivilDate? {
    let parts = text.split(separator: "-W" as String, omittingEmptySubsequences: false)
    // January 4 is always in week 1 (ISO 8601).
    guard parts.count == 2, let week = Int(parts[1]), (1...53).contains(week), let fourth = CivilDate("\(parts[0])-01-04")
    else { return nil }
    return CivilDate(daysSinceEpoch: CalendarUnit.week.start(of: fourth).daysSinceEpoch + 7 * (week - 1))
  }
}
