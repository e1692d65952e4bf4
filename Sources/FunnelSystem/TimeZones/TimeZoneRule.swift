import FunnelModel

/// A daylight saving rule in the format of the variable `TZ`, such as `CET-1CEST,M3.5.0,M10.5.0/3` (POSIX.1-2017,
/// section 8.3; RFC 8536, section 3.3.1).
struct TimeZoneRule {
  private static let secondsPerHour: Int64 = 3_600
  private static let secondsPerDay: Int64 = 86_400

  /// The time of a yearly change, in local time before the change.
  private struct Change {
    /// The time of day of a change without a time: two o'clock.
    static let secondsDefault = 2 * secondsPerHour

    /// The day of the year, in one of the three forms of POSIX.
    enum Day {
      /// Day 1 to 365; February 29 is never counted.
      case julian(Int)
      /// Day 0 to 365; February 29 is counted.
      case ofYear(Int)
      /// Week 1 to 5, where 5 is the last; weekday 0 to 6, where 0 is Sunday.
      case ofWeek(month: Int, week: Int, weekday: Int)
    }

    let day: Day
    /// The time of day in seconds, which may be negative or exceed a day.
    let seconds: Int64
  }

  /// The daylight saving time of each year.
  private struct Summer {
    /// The offset from UTC, in seconds.
    let offset: Int64
    let begins: Change
    let ends: Change
  }

  /// The offset of standard time from UTC, in seconds.
  private let standardOffset: Int64
  /// Daylight saving time, or `nil` if there is none.
  private let summer: Summer?

  /// Parses a rule, or returns `nil` if the text is not one.
  init?(_ text: String) {
    var remainder = Substring(text)
    // The rule has offsets to the west of UTC.
    guard Self.skipName(&remainder), let west = Self.time(&remainder) else { return nil }
    standardOffset = -west
    guard !remainder.isEmpty else {
      summer = nil
      return
    }
    guard Self.skipName(&remainder) else { return nil }
    var offset = -west + Self.secondsPerHour
    if remainder.first != "," {
      guard let given = Self.time(&remainder) else { return nil }
      offset = -given
    }
    guard let begins = Self.change(&remainder), let ends = Self.change(&remainder), remainder.isEmpty else { return nil }
    summer = Summer(offset: offset, begins: begins, ends: ends)
  }

  /// Returns the changes in a year, in order.
  func transitions(in year: Int) -> [TimeZoneRules.Transition] {
    guard let summer else { return [] }
    func transition(_ change: Change, from: Int64, to: Int64) -> TimeZoneRules.Transition {
      let local = Int64(Self.day(of: change.day, in: year)) * Self.secondsPerDay + change.seconds
      return .init(startMilliseconds: (local - from) * 1000, offsetMilliseconds: to * 1000)
    }
    return [
      transition(summer.begins, from: standardOffset, to: summer.offset),
      transition(summer.ends, from: summer.offset, to: standardOffset),
    ].sorted { $0.startMilliseconds < $1.startMilliseconds }
  }

  /// Returns a day as the number of days since 1970-01-01.
  private static func day(of day: Change.Day, in year: Int) -> Int {
    let newYear = CivilDate(year: year, month: 1, day: 1)!.daysSinceEpoch
    switch day {
    case .ofYear(let number): return newYear + number
    case .julian(let number):
      let isLeap = CivilDate(year: year, month: 2, day: 29) != nil
      let march1 = 60
      return newYear + number - 1 + (isLeap && number >= march1 ? 1 : 0)
    case .ofWeek(let month, let week, let weekday):
      let first = CivilDate(year: year, month: month, day: 1)!
      var day = first.daysSinceEpoch + (weekday - first.isoWeekday % 7 + 7) % 7 + 7 * (week - 1)
      while CivilDate(daysSinceEpoch: day).components.month != month { day -= 7 }
      return day
    }
  }

  /// Skips a name such as `CET` or `<+0330>`. Returns `false` if there is none.
  private static func skipName(_ remainder: inout Substring) -> Bool {
    if remainder.first == "<" {
      guard let end = remainder.firstIndex(of: ">") else { return false }
      remainder = remainder[remainder.index(after: end)...]
      return true
    }
    let name = remainder.prefix { $0.isASCII && $0.isLetter }
    remainder = remainder.dropFirst(name.count)
    return name.count >= 3
  }

  /// Parses hours, minutes and seconds, such as `-1`, `3:30` or `+02:00:00`. Returns the number of seconds, or
  /// `nil` if they are invalid.
  private static func time(_ remainder: inout Substring) -> Int64? {
    let isNegative = remainder.first == "-"
    if remainder.first == "-" || remainder.first == "+" { remainder.removeFirst() }
    // RFC 8536 extends the range of POSIX to a week.
    guard let hours = number(&remainder, max: 167) else { return nil }
    var seconds = Int64(hours) * secondsPerHour
    for unit in [Int64(60), 1] where remainder.first == ":" {
      remainder.removeFirst()
      guard let value = number(&remainder, max: 59) else { return nil }
      seconds += Int64(value) * unit
    }
    return isNegative ? -seconds : seconds
  }

  /// Parses a change such as `,M3.5.0`, `,J60` or `,59/3`. Returns `nil` if it is invalid.
  private static func change(_ remainder: inout Substring) -> Change? {
    guard remainder.popFirst() == "," else { return nil }
    let day: Change.Day
    switch remainder.first {
    case "M":
      remainder.removeFirst()
      guard let month = number(&remainder, max: 12), month > 0, remainder.popFirst() == ".",
        let week = number(&remainder, max: 5), week > 0,
        remainder.popFirst() == ".", let weekday = number(&remainder, max: 6)
      else { return nil }
      day = .ofWeek(month: month, week: week, weekday: weekday)
    case "J":
      remainder.removeFirst()
      guard let number = number(&remainder, max: 365), number > 0 else { return nil }
      day = .julian(number)
    default:
      guard let number = number(&remainder, max: 365) else { return nil }
      day = .ofYear(number)
    }
    guard remainder.first == "/" else { return Change(day: day, seconds: Change.secondsDefault) }
    remainder.removeFirst()
    return time(&remainder).map { Change(day: day, seconds: $0) }
  }

  /// Parses an unsigned decimal number. Returns `nil` if there is none or it is greater than `max`.
  private static func number(_ remainder: inout Substring, max: Int) -> Int? {
    let digits = remainder.prefix { $0.isASCII && $0.isNumber }
    remainder = remainder.dropFirst(digits.count)
    return Int(digits).flatMap { $0 <= max ? $0 : nil }
  }
}
