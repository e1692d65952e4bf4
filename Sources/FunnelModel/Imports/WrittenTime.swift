/// A time as a record writes it: with a zone, or without one.
package enum WrittenTime: Hashable, Sendable {
  /// A moment.
  case moment(Timestamp)
  /// The time that a clock shows in a zone that the text does not name. The value is that clock's time in UTC.
  case local(Timestamp)
}

extension WrittenTime {
  /// Parses a date and a time of day in the notation of ISO 8601, or in one of its unambiguous variants.
  ///
  /// Databases and programs write `2025-11-23 14:05:00.000 UTC`, `2025-11-23 14:05:00+00`, `2025-11-23T14:05:00,5+0100` or
  /// `2025-11-23 14:05`. The date has ten bytes; a blank may replace `T`; the seconds and the fraction may be missing; a
  /// comma may precede the fraction; the zone is `Z`, `UTC`, `GMT`, `±hh`, `±hhmm` or `±hh:mm`, with or without a blank before
  /// it, or missing. Returns `nil` for any other text.
  package init?(isoLike text: Span<UInt8>) {
    var reader = IsoReader(text: text)
    guard let local = reader.dateAndTime() else { return nil }
    guard !reader.isAtEnd else {
      self = .local(local)
      return
    }
    guard let offsetMinutes = reader.zone(), reader.isAtEnd else { return nil }
    self = .moment(Timestamp(milliseconds: local.milliseconds - Int64(offsetMinutes) * Timestamp.millisecondsPerMinute))
  }
}

/// Reads the parts of a time one after another.
private struct IsoReader: ~Escapable {
  private let text: Span<UInt8>
  private var index = 0

  /// The number of bytes of a date such as `2025-11-23`.
  private static let dateBytes = 10

  @_lifetime(copy text)
  init(text: Span<UInt8>) { self.text = text }

  var isAtEnd: Bool { index == text.count }

  /// Reads the date and the time of day, as a clock's time in UTC.
  @_lifetime(self: copy self)
  mutating func dateAndTime() -> Timestamp? {
    guard text.count > Self.dateBytes, let date = Timestamp.parseDate(text) else { return nil }
    index = Self.dateBytes
    guard skip("T") || skip("t") || skip(" "), let hour = twoDigits(), hour < 24, skip(":"), let minute = twoDigits(),
      minute < 60
    else { return nil }
    var second = 0
    var millisecond = 0
    if skip(":") {
      guard let read = twoDigits(), read <= 60 else { return nil }
      second = read
      if skip(".") || skip(",") {
        guard let read = milliseconds() else { return nil }
        millisecond = read
      }
    }
    let seconds = (hour * 60 + minute) * 60 + second
    return Timestamp(milliseconds: date.midnight.milliseconds + Int64(seconds * 1000 + millisecond))
  }

  /// Reads the zone, as its offset from UTC in minutes.
  @_lifetime(self: copy self)
  mutating func zone() -> Int? {
    _ = skip(" ")
    if skip("Z") || skip("z") || skip("UTC") || skip("GMT") { return 0 }
    let isNegative = skip("-")
    guard isNegative || skip("+"), let hours = twoDigits(), hours < 24 else { return nil }
    var minutes = 0
    if !isAtEnd {
      _ = skip(":")
      guard let read = twoDigits(), read < 60 else { return nil }
      minutes = read
    }
    return (hours * 60 + minutes) * (isNegative ? -1 : 1)
  }

  /// Reads the digits of a fraction of a second, rounded down to milliseconds.
  @_lifetime(self: copy self)
  private mutating func milliseconds() -> Int? {
    var value = 0
    var scale = 100
    let start = index
    while let digit = digit(at: index) {
      value += digit * scale
      scale /= 10
      index += 1
    }
    return index > start ? value : nil
  }

  @_lifetime(self: copy self)
  private mutating func twoDigits() -> Int? {
    guard let tens = digit(at: index), let units = digit(at: index + 1) else { return nil }
    index += 2
    return tens * 10 + units
  }

  private func digit(at index: Int) -> Int? {
    guard index < text.count else { return nil }
    let value = text[index] &- UInt8(ascii: "0")
    return value < 10 ? Int(value) : nil
  }

  /// Skips a text, and returns whether it was there.
  @_lifetime(self: copy self)
  private mutating func skip(_ expected: StaticString) -> Bool {
    let count = expected.utf8CodeUnitCount
    guard index + count <= text.count else { return false }
    for offset in 0..<count where text[index + offset] != expected.utf8Start[offset] { return false }
    index += count
    return true
  }
}
