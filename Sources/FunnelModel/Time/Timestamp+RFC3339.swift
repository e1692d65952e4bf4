extension Timestamp {
  /// The moments that RFC 3339 can represent: the years 0000 to 9999.
  public static let writable = Timestamp(milliseconds: -62_167_219_200_000)...Timestamp(milliseconds: 253_402_300_799_999)

  /// Parses an RFC 3339 date-time: `2026-11-20T10:15:30.123+01:00`.
  ///
  /// Returns `nil` if the text is anything else. Any number of fraction digits is accepted and truncated to
  /// milliseconds. The offset (`Z` or `+hh:mm`) is required. As RFC 3339 section 5.6 allows, `t` or a space may
  /// replace `T`, and `z` may replace `Z`. Second 60, a leap second, is the first second of the next minute.
  public init?(rfc3339 text: UnsafeRawBufferPointer) {
    guard text.count >= 20, let date = Self.parseDate(UnsafeRawBufferPointer(rebasing: text[0..<10])) else { return nil }
    let separator = text[10]
    guard separator == UInt8(ascii: "T") || separator == UInt8(ascii: "t") || separator == UInt8(ascii: " ") else { return nil }
    guard let hour = Self.twoDigits(text, at: 11), hour < 24, text[13] == UInt8(ascii: ":"),
      let minute = Self.twoDigits(text, at: 14), minute < 60, text[16] == UInt8(ascii: ":"),
      let second = Self.twoDigits(text, at: 17), second <= 60
    else { return nil }
    var position = 19
    var fraction = 0
    if text[position] == UInt8(ascii: ".") {
      position += 1
      let start = position
      var scale = 100
      while position < text.count, let digit = Self.digit(text[position]) {
        fraction += digit * scale
        scale /= 10
        position += 1
      }
      guard position > start, position < text.count else { return nil }
    }
    guard let offsetMinutes = Self.parseOffset(text, at: position) else { return nil }
    let seconds = (hour * 60 + minute - offsetMinutes) * 60 + second
    self.init(milliseconds: date.midnight.milliseconds + Int64(seconds * 1000 + fraction))
  }

  /// Parses an RFC 3339 date-time from a string.
  public init?(rfc3339 text: some StringProtocol) {
    guard let parsed = Array(text.utf8).withUnsafeBytes({ Timestamp(rfc3339: $0) }) else { return nil }
    self = parsed
  }

  /// Appends the moment in UTC as `2026-11-20T10:15:30.123Z`.
  public func append(to bytes: inout [UInt8]) {
    let remainder = milliseconds % Self.millisecondsPerDay
    let millisecond = Int(remainder < 0 ? remainder + Self.millisecondsPerDay : remainder)
    day.append(to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    bytes.appendDigits(millisecond / Int(Self.millisecondsPerHour), width: 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.appendDigits(millisecond / 60_000 % 60, width: 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.appendDigits(millisecond / 1000 % 60, width: 2)
    bytes.append(UInt8(ascii: "."))
    bytes.appendDigits(millisecond % 1000, width: 3)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// Parses the ten bytes of a date such as `2026-11-20`, or returns `nil` if they are anything else.
  ///
  /// - Precondition: There are at least ten bytes. Further ones are ignored.
  static func parseDate(_ text: UnsafeRawBufferPointer) -> CivilDate? {
    assert(text.count >= 10, "a date has ten bytes")
    guard let century = twoDigits(text, at: 0), let years = twoDigits(text, at: 2), text[4] == UInt8(ascii: "-"),
      let month = twoDigits(text, at: 5), text[7] == UInt8(ascii: "-"), let day = twoDigits(text, at: 8)
    else { return nil }
    return CivilDate(year: century * 100 + years, month: month, day: day)
  }

  /// Parses the offset from UTC (`Z` or `+hh:mm`) from an index to the end of the text, in minutes, positive to the east.
  private static func parseOffset(_ text: UnsafeRawBufferPointer, at position: Int) -> Int? {
    let sign = text[position]
    if sign == UInt8(ascii: "Z") || sign == UInt8(ascii: "z") { return text.count == position + 1 ? 0 : nil }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), text.count == position + 6,
      let hours = twoDigits(text, at: position + 1), hours < 24, text[position + 3] == UInt8(ascii: ":"),
      let minutes = twoDigits(text, at: position + 4), minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }

  /// Returns the number of two digits, or `nil` if either byte is not a digit.
  @inline(__always)
  private static func twoDigits(_ text: UnsafeRawBufferPointer, at position: Int) -> Int? {
    guard let tens = digit(text[position]), let units = digit(text[position + 1]) else { return nil }
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
  public var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
