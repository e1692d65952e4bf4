import FunnelModel

/// Parses the times of imported records.
///
/// A time without a zone is only accepted if an option sets the zone. No time is corrected or guessed.
struct ImportedTime: Sendable {
  /// The notation of times in the format.
  let reading: FormatLayout.TimeReading
  /// The zone of times that have none, or `nil` to reject such times.
  let zone: TimeZoneRules?

  /// Returns the time of a value, or `nil` if the value is not a time.
  func timestamp(_ value: ImportedValue) -> Timestamp? {
    if let text = value.string { return timestamp(text: text) }
    return value.numberText.flatMap { text in text.withUnsafeBytes { DecimalMoment($0) } }.flatMap(timestamp)
  }

  /// Returns the time of a string, or `nil` if the string is not a time.
  func timestamp(text: UnsafeRawBufferPointer) -> Timestamp? {
    if let moment = Timestamp(rfc3339: text) { return moment }
    if let local = Self.localTime(text) { return timestamp(local: local) }
    guard reading != .rfc3339, reading != .utcWithoutZone else { return nil }
    return DecimalMoment(text).flatMap(timestamp)
  }

  /// Returns the time at which a clock in ``zone`` shows a local time, or `nil` if there is no zone.
  private func timestamp(local: Timestamp) -> Timestamp? {
    // The format defines the zone. The option may be meant for other files of the same command.
    if reading == .utcWithoutZone { return local }
    return zone.map { $0.moment(atLocal: local.milliseconds) }
  }

  /// The largest number of `unixSeconds` that counts as seconds (November 2286). Larger ones are milliseconds.
  private static let unixSecondsMax: Int64 = 10_000_000_000
  /// The magnitudes at which `any` switches from seconds to milliseconds (March 1973) and to microseconds.
  private static let millisecondsMin: Int64 = 100_000_000_000
  private static let microsecondsMin: Int64 = 100_000_000_000_000

  /// Returns the time of a number, in the unit of the format, or `nil` if the number is out of range.
  private func timestamp(_ number: DecimalMoment) -> Timestamp? {
    switch reading {
    // As in native events, a fraction of a millisecond is not a time.
    case .rfc3339, .utcWithoutZone: return number.isWhole ? number.milliseconds(unitsPerSecond: 1000) : nil
    case .microseconds: return number.milliseconds(unitsPerSecond: 1_000_000)
    case .unixSeconds:
      let isSeconds = number.whole <= Self.unixSecondsMax
      guard let moment = number.milliseconds(unitsPerSecond: isSeconds ? 1 : 1000) else { return nil }
      // Older projects of Mixpanel count seconds from the epoch on the clock of the project's zone.
      return zone.map { $0.moment(atLocal: moment.milliseconds) } ?? moment
    case .any:
      let magnitude = number.whole.magnitude
      if magnitude < Self.millisecondsMin { return number.milliseconds(unitsPerSecond: 1) }
      if magnitude < Self.microsecondsMin { return number.milliseconds(unitsPerSecond: 1000) }
      return number.milliseconds(unitsPerSecond: 1_000_000)
    }
  }

  /// The length of `2026-11-20 10:15:30` in bytes.
  private static let localTimeBytesMin = 19
  private static let localTimeBytesMax = 64

  /// Returns the time that `2026-11-20 10:15:30.5` is in UTC, or `nil` if the text is not a date and time without a zone.
  private static func localTime(_ text: UnsafeRawBufferPointer) -> Timestamp? {
    guard text.count >= localTimeBytesMin, text.count <= localTimeBytesMax else { return nil }
    var bytes = Array(text)
    bytes.append(UInt8(ascii: "Z"))
    return bytes.withUnsafeBytes { Timestamp(rfc3339: $0) }
  }
}

/// A decimal number of time units, with nine digits after the decimal point. Further digits are ignored.
struct DecimalMoment {
  /// The integral part, with the sign.
  private(set) var whole: Int64 = 0
  /// The fraction in billionths, without the sign.
  private var billionths: Int64 = 0
  private var isNegative = false

  /// The number of decimal digits that always fit into 64 bits.
  private static let digitsMax = 18
  private static let billion: Int64 = 1_000_000_000

  /// Whether the fraction is zero.
  var isWhole: Bool { billionths == 0 }

  /// Parses digits with an optional minus sign and fraction. Returns `nil` for any other text, and for more than 18
  /// integral digits.
  init?(_ text: UnsafeRawBufferPointer) {
    var remaining = text[...]
    if remaining.first == UInt8(ascii: "-") {
      isNegative = true
      remaining = remaining.dropFirst()
    }
    var digits = 0
    while let byte = remaining.first, byte &- UInt8(ascii: "0") < 10 {
      digits += 1
      guard digits <= Self.digitsMax else { return nil }
      whole = whole * 10 + Int64(byte - UInt8(ascii: "0"))
      remaining = remaining.dropFirst()
    }
    guard digits > 0 else { return nil }
    if remaining.first == UInt8(ascii: ".") {
      remaining = remaining.dropFirst()
      guard !remaining.isEmpty else { return nil }
      var scale = Self.billion / 10
      for byte in remaining {
        guard byte &- UInt8(ascii: "0") < 10 else { return nil }
        billionths += Int64(byte - UInt8(ascii: "0")) * scale
        scale /= 10
      }
      remaining = remaining[remaining.endIndex...]
    }
    guard remaining.isEmpty else { return nil }
    if isNegative { whole = -whole }
  }

  /// Returns the number as a time since the epoch, rounded down to milliseconds, or `nil` if it overflows.
  ///
  /// - Parameter unitsPerSecond: 1, 1000 or 1 000 000.
  func milliseconds(unitsPerSecond: Int64) -> Timestamp? {
    assert([1, 1000, 1_000_000].contains(unitsPerSecond), "the unit is unknown")
    let fraction = isNegative ? -billionths : billionths
    if unitsPerSecond > 1000 {
      // The fraction of a microsecond only matters for rounding down.
      let (quotient, remainder) = whole.quotientAndRemainder(dividingBy: unitsPerSecond / 1000)
      return Timestamp(milliseconds: remainder < 0 || remainder == 0 && fraction < 0 ? quotient - 1 : quotient)
    }
    let scale = 1000 / unitsPerSecond
    let (scaled, overflow) = whole.multipliedReportingOverflow(by: scale)
    guard !overflow else { return nil }
    // Billionths of the unit become milliseconds, rounded down.
    let numerator = fraction * scale
    let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: Self.billion)
    return Timestamp(milliseconds: scaled + (remainder < 0 ? quotient - 1 : quotient))
  }
}
