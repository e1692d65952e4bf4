/// A moment with a resolution of one millisecond.
package struct Timestamp: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The number of milliseconds since 1970-01-01T00:00:00Z (the epoch), negative before it.
  package var milliseconds: Int64

  /// Creates a timestamp from milliseconds since the epoch.
  @inlinable
  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  @inlinable
  package static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
    lhs.milliseconds < rhs.milliseconds
  }

  static let millisecondsPerSecond: Int64 = 1000

  static let millisecondsPerMinute: Int64 = 60_000

  /// The number of milliseconds in an hour.
  @inlinable package static var millisecondsPerHour: Int64 { 3_600_000 }

  /// The number of milliseconds in a day.
  @inlinable package static var millisecondsPerDay: Int64 { 86_400_000 }

  /// The calendar day of this moment in UTC.
  package var day: CivilDate {
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: Self.millisecondsPerDay)
    return CivilDate(daysSinceEpoch: Int(remainder < 0 ? quotient - 1 : quotient))
  }
}

extension Timestamp {
  /// The moments that RFC 3339 can represent: the years 0000 to 9999.
  package static let writable = Timestamp(milliseconds: -62_167_219_200_000)...Timestamp(milliseconds: 253_402_300_799_999)

  /// The length of the shortest date-time, `2026-11-20T10:15:30Z`.
  private static let bytesMin = 20

  /// Parses an RFC 3339 date-time: `2026-11-20T10:15:30.123+01:00`.
  ///
  /// Returns `nil` if the text is anything else. Any number of fraction digits is accepted and truncated to
  /// milliseconds. The offset (`Z` or `+hh:mm`) is required. As RFC 3339 section 5.6 allows, `t` or a space may
  /// replace `T`, and `z` may replace `Z`. Second 60, a leap second, is the first second of the next minute.
  package init?(rfc3339 text: Span<UInt8>) {
    guard text.count >= Self.bytesMin, let date = Self.parseDate(text) else { return nil }
    let separator = text[10]
    guard separator == UInt8(ascii: "T") || separator == UInt8(ascii: "t") || separator == UInt8(ascii: " ") else { return nil }
    guard let hour = Self.twoDigits(text, at: 11), hour < 24, text[13] == UInt8(ascii: ":"),
      let minute = Self.twoDigits(text, at: 14), minute < 60, text[16] == UInt8(ascii: ":"),
      let second = Self.twoDigits(text, at: 17), second <= 60
    else { return nil }
    var index = 19
    var fraction = 0
    if text[index] == UInt8(ascii: ".") {
      index += 1
      let start = index
      var scale = 100
      while index < text.count, let digit = Self.digit(text[index]) {
        fraction += digit * scale
        scale /= 10
        index += 1
      }
      guard index > start, index < text.count else { return nil }
    }
    guard let offsetMinutes = Self.parseOffset(text, at: index) else { return nil }
    let seconds = (hour * 60 + minute - offsetMinutes) * 60 + second
    self.init(milliseconds: date.midnight.milliseconds + Int64(seconds * 1000 + fraction))
  }

  /// Parses an RFC 3339 date-time from a string.
  package init?(rfc3339 text: some StringProtocol) {
    let bytes = Array(text.utf8)
    self.init(rfc3339: bytes.span)
  }

  /// Appends the moment in UTC as `2026-11-20T10:15:30.123Z`.
  package func append(to bytes: inout [UInt8]) {
    let remainder = milliseconds % Self.millisecondsPerDay
    let millisecond = Int(remainder < 0 ? remainder + Self.millisecondsPerDay : remainder)
    day.append(to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    bytes.appendDigits(millisecond / Int(Self.millisecondsPerHour), width: 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.appendDigits(millisecond / Int(Self.millisecondsPerMinute) % 60, width: 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.appendDigits(millisecond / Int(Self.millisecondsPerSecond) % 60, width: 2)
    bytes.append(UInt8(ascii: "."))
    bytes.appendDigits(millisecond % 1000, width: 3)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// Parses the ten bytes of a date such as `2026-11-20`, or returns `nil` if they are anything else.
  ///
  /// - Precondition: There are at least ten bytes. Further ones are ignored.
  static func parseDate(_ text: Span<UInt8>) -> CivilDate? {
    assert(text.count >= 10, "a date has ten bytes")
    guard let century = twoDigits(text, at: 0), let years = twoDigits(text, at: 2), text[4] == UInt8(ascii: "-"),
      let month = twoDigits(text, at: 5), text[7] == UInt8(ascii: "-"), let day = twoDigits(text, at: 8)
    else { return nil }
    return CivilDate(year: century * 100 + years, month: month, day: day)
  }

  /// Parses the offset from UTC (`Z` or `+hh:mm`) from an index to the end of the text, in minutes, positive to the east.
  private static func parseOffset(_ text: Span<UInt8>, at index: Int) -> Int? {
    let sign = text[index]
    if sign == UInt8(ascii: "Z") || sign == UInt8(ascii: "z") { return text.count == index + 1 ? 0 : nil }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), text.count == index + 6,
      let hours = twoDigits(text, at: index + 1), hours < 24, text[index + 3] == UInt8(ascii: ":"),
      let minutes = twoDigits(text, at: index + 4), minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }

  /// Returns the number of two digits, or `nil` if either byte is not a digit.
  @inline(__always)
  private static func twoDigits(_ text: Span<UInt8>, at index: Int) -> Int? {
    assert(index >= 0 && index + 1 < text.count, "both digits are in the text")
    guard let tens = digit(text[unchecked: index]), let units = digit(text[unchecked: index + 1]) else { return nil }
    return tens * 10 + units
  }

  @inline(__always)
  private static func digit(_ byte: UInt8) -> Int? {
    let value = byte &- UInt8(ascii: "0")
    return value < 10 ? Int(value) : nil
  }
}

extension Timestamp: CustomStringConvertible {
  /// The moment in UTC as `2026-11-20T10:15:30.123Z`.
  package var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
