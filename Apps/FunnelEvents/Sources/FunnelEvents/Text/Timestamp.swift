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

// Reading of what `description` writes.
extension Timestamp {
  /// The length of a description.
  static let descriptionBytes = 24

  private static let descriptionForm = Array("dddd-dd-ddTdd:dd:dd.dddZ".utf8)

  /// Parses a description, or returns `nil` if the bytes are not one.
  init?(description bytes: ArraySlice<UInt8>) {
    guard bytes.count == Self.descriptionBytes else { return nil }
    let text = Array(bytes)
    for (byte, form) in zip(text, Self.descriptionForm) {
      guard form == UInt8(ascii: "d") ? byte.isASCIIDigit : byte == form else { return nil }
    }
    func number(_ range: Range<Int>) -> Int { text[range].reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) } }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    let days = Int64(Self.daysSinceEpoch(year: year, month: month, day: day))
    let time = number(11..<13) * Self.millisecondsPerHour + number(14..<16) * Self.millisecondsPerMinute
    self.init(milliseconds: days * Self.millisecondsPerDay + Int64(time + number(17..<19) * 1000 + number(20..<23)))
  }

  /// Returns the number of days from 1970-01-01 to a day of the Gregorian calendar, by Howard Hinnant's `days_from_civil`.
  private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let monthAfterMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * monthAfterMarch + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * daysPerEra + dayOfEra - daysBeforeEpoch
  }
}
