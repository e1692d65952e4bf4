import Foundation

/// A moment with a resolution of one millisecond.
struct Timestamp: Hashable, Comparable, Sendable {
  /// The number of milliseconds since 1970-01-01T00:00:00Z (the epoch), negative before it.
  var milliseconds: Int64

  /// The moments that RFC 3339 can represent: the years 0000 to 9999.
  static let writable = Timestamp(milliseconds: -62_167_219_200_000)...Timestamp(milliseconds: 253_402_300_799_999)

  static func < (lhs: Timestamp, rhs: Timestamp) -> Bool { lhs.milliseconds < rhs.milliseconds }
}

extension Timestamp {
  /// Creates a timestamp from a date, rounded down to the millisecond and clamped to ``writable``.
  init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
    if milliseconds >= Double(Self.writable.upperBound.milliseconds) {
      self = Self.writable.upperBound
    } else if milliseconds >= Double(Self.writable.lowerBound.milliseconds) {
      self.init(milliseconds: Int64(milliseconds))
    } else {
      self = Self.writable.lowerBound
    }
  }
}

extension Timestamp: CustomStringConvertible {
  private static let millisecondsPerDay: Int64 = 86_400_000
  private static let millisecondsPerHour = 3_600_000
  private static let millisecondsPerMinute = 60_000

  /// The moment in UTC as `2026-11-20T10:15:30.123Z`.
  var description: String {
    let millisecond = Int((milliseconds % Self.millisecondsPerDay + Self.millisecondsPerDay) % Self.millisecondsPerDay)
    let date = Self.date(daysSinceEpoch: Int((milliseconds - Int64(millisecond)) / Self.millisecondsPerDay))
    let hours = Self.digits(millisecond / Self.millisecondsPerHour, 2)
    let minutes = Self.digits(millisecond / Self.millisecondsPerMinute % 60, 2)
    let seconds = Self.digits(millisecond / 1000 % 60, 2)
    return "\(date)T\(hours):\(minutes):\(seconds).\(Self.digits(millisecond % 1000, 3))Z"
  }

  /// The number of days from 0000-03-01 to 1970-01-01.
  private static let daysBeforeEpoch = 719_468
  /// The number of days of 400 years, after which the calendar repeats.
  private static let daysPerEra = 146_097

  /// Returns a day of the Gregorian calendar as `2026-11-20`.
  ///
  /// The algorithm is Howard Hinnant's `civil_from_days`: years begin in March, which puts the leap day at the end of a year. It needs no
  /// calendar and no formatter, which would take longer than writing the event.
  private static func date(daysSinceEpoch: Int) -> String {
    let days = daysSinceEpoch + daysBeforeEpoch
    let era = (days >= 0 ? days : days - (daysPerEra - 1)) / daysPerEra
    let dayOfEra = days - era * daysPerEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthAfterMarch = (5 * dayOfYear + 2) / 153
    let month = monthAfterMarch < 10 ? monthAfterMarch + 3 : monthAfterMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return "\(digits(year, 4))-\(digits(month, 2))-\(digits(dayOfYear - (153 * monthAfterMarch + 2) / 5 + 1, 2))"
  }

  private static func digits(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
