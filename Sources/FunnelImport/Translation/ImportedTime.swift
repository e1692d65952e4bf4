import FunnelModel

/// Reads the moments of foreign records. Nothing is corrected, and nothing is made up: what names no zone needs one by option.
struct ImportedTime: Sendable {
  let reading: FormatLayout.TimeReading
  /// The zone of times that name none.
  let zone: TimeZoneRules?

  /// Returns the moment of a value, or nil if the value is none.
  func timestamp(_ value: ImportedValue) -> Timestamp? {
    if let text = value.string { return timestamp(text: text) }
    return value.numberText.flatMap { text in text.withUnsafeBytes { DecimalMoment($0) } }.flatMap(timestamp)
  }

  /// Returns the moment of a string, or nil if it is none.
  func timestamp(text: UnsafeRawBufferPointer) -> Timestamp? {
    if let moment = Timestamp(rfc3339: text) { return moment }
    if let local = Self.localTime(text) { return timestamp(local: local) }
    guard reading != .rfc3339, reading != .utcWithoutZone else { return nil }
    return DecimalMoment(text).flatMap(timestamp)
  }

  /// Returns the moment at which clocks of the zone show a local time, or nil if no zone is known. A format that writes UTC without saying
  /// so is never read on another clock: the zone may be meant for other files of the same command.
  private func timestamp(local: Timestamp) -> Timestamp? {
    if reading == .utcWithoutZone { return local }
    return zone.map { $0.moment(atLocal: local.milliseconds) }
  }

  private func timestamp(_ number: DecimalMoment) -> Timestamp? {
    switch reading {
    // As in funnel's own events, only whole milliseconds are a time.
    case .rfc3339, .utcWithoutZone: return number.isWhole ? number.milliseconds(unitsPerSecond: 1000) : nil
    case .microseconds: return number.milliseconds(unitsPerSecond: 1_000_000)
    case .unixSeconds:
      let isSeconds = number.whole <= 10_000_000_000
      guard let moment = number.milliseconds(unitsPerSecond: isSeconds ? 1 : 1000) else { return nil }
      // Older projects of Mixpanel count seconds from the epoch on the clock of the project's zone.
      return zone.map { $0.moment(atLocal: moment.milliseconds) } ?? moment
    case .any:
      let magnitude = number.whole.magnitude
      let units: Int64 = magnitude < 100_000_000_000 ? 1 : magnitude < 100_000_000_000_000 ? 1000 : 1_000_000
      return number.milliseconds(unitsPerSecond: units)
    }
  }

  /// Returns the time that `2026-11-20 10:15:30.5` shows, as if it were UTC.
  private static func localTime(_ text: UnsafeRawBufferPointer) -> Timestamp? {
    guard text.count >= 19, text.count <= 64 else { return nil }
    var bytes = Array(text)
    bytes.append(UInt8(ascii: "Z"))
    return bytes.withUnsafeBytes { Timestamp(rfc3339: $0) }
  }
}

/// A decimal number of some unit of time, exact to nine digits behind the point.
struct DecimalMoment {
  private(set) var whole: Int64 = 0
  /// The digits behind the point, in billionths.
  private var billionths: Int64 = 0
  private var isNegative = false

  var isWhole: Bool { billionths == 0 }

  /// Parses digits with an optional sign and fraction; nil for anything else, and for more than 18 digits.
  init?(_ text: UnsafeRawBufferPointer) {
    var rest = text[...]
    if rest.first == UInt8(ascii: "-") {
      isNegative = true
      rest = rest.dropFirst()
    }
    var digits = 0
    while let byte = rest.first, byte &- UInt8(ascii: "0") < 10 {
      digits += 1
      guard digits <= 18 else { return nil }
      whole = whole * 10 + Int64(byte - UInt8(ascii: "0"))
      rest = rest.dropFirst()
    }
    guard digits > 0 else { return nil }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      guard !rest.isEmpty else { return nil }
      var scale: Int64 = 100_000_000
      for byte in rest {
        guard byte &- UInt8(ascii: "0") < 10 else { return nil }
        billionths += Int64(byte - UInt8(ascii: "0")) * scale
        scale /= 10
      }
      rest = rest[rest.endIndex...]
    }
    guard rest.isEmpty else { return nil }
    if isNegative { whole = -whole }
  }

  /// Returns the moment, rounded down to milliseconds, or nil if it is beyond all timestamps.
  ///
  /// - Parameter unitsPerSecond: 1, 1000 or 1 000 000.
  func milliseconds(unitsPerSecond: Int64) -> Timestamp? {
    let fraction = isNegative ? -billionths : billionths
    if unitsPerSecond > 1000 {
      // Microseconds: what is behind the point is less than a millisecond, and only tells where to round to.
      let (quotient, remainder) = whole.quotientAndRemainder(dividingBy: unitsPerSecond / 1000)
      return Timestamp(milliseconds: remainder < 0 || remainder == 0 && fraction < 0 ? quotient - 1 : quotient)
    }
    let scale = 1000 / unitsPerSecond
    let (scaled, overflow) = whole.multipliedReportingOverflow(by: scale)
    guard !overflow else { return nil }
    // Billionths of the unit become milliseconds, rounded down.
    let numerator = fraction * scale
    let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Timestamp(milliseconds: scaled + (remainder < 0 ? quotient - 1 : quotient))
  }
}
