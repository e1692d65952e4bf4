import FunnelModel

/// Parses the times of imported records.
///
/// A time without a zone is only accepted if an option sets the zone. No time is corrected or guessed.
package struct ImportedTime: Sendable {
  /// The notation of times in the format.
  let notation: FormatLayout.TimeNotation
  /// The zone of times that have none, or `nil` to reject such times.
  let zone: TimeZoneRules?

  /// Returns the time of a value, or `nil` if the value is not a time.
  func timestamp(_ value: ImportedValue) -> Timestamp? {
    if let text = value.string { return timestamp(text) }
    guard let text = value.numberText, let number = DecimalTime(text.span) else { return nil }
    return timestamp(number)
  }

  /// Returns the time of a string, or `nil` if the string is not a time.
  private func timestamp(_ text: Span<UInt8>) -> Timestamp? {
    if let time = Timestamp(rfc3339: text) { return time }
    if let local = Self.localTime(text) { return timestamp(local: local) }
    guard notation != .rfc3339, notation != .utcWithoutZone, let number = DecimalTime(text) else { return nil }
    return timestamp(number)
  }

  /// Returns the time at which a clock in ``zone`` shows a local time, or `nil` if there is no zone.
  private func timestamp(local: Timestamp) -> Timestamp? {
    // The format defines the zone. The option may be meant for other files of the same command.
    if notation == .utcWithoutZone { return local }
    return zone.map { $0.moment(atLocal: local.milliseconds) }
  }

  /// The largest number of `unixSeconds` that counts as seconds (November 2286). Larger ones are milliseconds.
  private static let unixSecondsMax: Int64 = 10_000_000_000
  /// The magnitudes at which `any` switches from seconds to milliseconds (March 1973) and to microseconds.
  private static let millisecondsMin: Int64 = 100_000_000_000
  private static let microsecondsMin: Int64 = 100_000_000_000_000

  /// Returns the time of a number, in the unit of the format, or `nil` if the number is out of range.
  private func timestamp(_ number: DecimalTime) -> Timestamp? {
    switch notation {
    // As in native events, a fraction of a millisecond is not a time.
    case .rfc3339, .utcWithoutZone: return number.isWhole ? number.timestamp(in: .milliseconds) : nil
    case .microseconds: return number.timestamp(in: .microseconds)
    case .unixSeconds:
      let unit: DecimalTime.Unit = number.whole <= Self.unixSecondsMax ? .seconds : .milliseconds
      guard let time = number.timestamp(in: unit) else { return nil }
      // Older projects of Mixpanel count seconds from the epoch on the clock of the project's zone.
      return zone.map { $0.moment(atLocal: time.milliseconds) } ?? time
    case .any:
      let magnitude = number.whole.magnitude
      if magnitude < Self.millisecondsMin { return number.timestamp(in: .seconds) }
      if magnitude < Self.microsecondsMin { return number.timestamp(in: .milliseconds) }
      return number.timestamp(in: .microseconds)
    }
  }

  /// The lengths in bytes of the shortest and the longest local time, such as `2026-11-20 10:15:30`.
  private static let localTimeBytes = 19...64

  /// Returns the time that `2026-11-20 10:15:30.5` is in UTC, or `nil` if the text is not a date and time without a zone.
  private static func localTime(_ text: Span<UInt8>) -> Timestamp? {
    guard localTimeBytes.contains(text.count) else { return nil }
    return Timestamp(rfc3339: ([UInt8](copying: text) + [UInt8(ascii: "Z")]).span)
  }
}

// Times in columns of a table, by which the column of an event's time is inferred.
extension ImportedTime {
  /// Returns whether a text is a date and time, or a number of seconds, milliseconds or microseconds, between 2007 and 2100.
  package static func isTime(_ text: String) -> Bool {
    guard let time = ImportedTime(notation: .any, zone: .utc).timestamp(Array(text.utf8).span) else { return false }
    return plausible.contains(time)
  }

  /// Returns whether a text is a date and time of day without a zone.
  package static func lacksZone(_ text: String) -> Bool {
    isTime(text) && ImportedTime(notation: .any, zone: nil).timestamp(Array(text.utf8).span) == nil
  }

  /// From the start of 2007 to that of 2100: numbers outside are more likely counts or IDs.
  private static let plausible =
    Timestamp(milliseconds: 1_167_609_600_000)...Timestamp(milliseconds: 4_102_444_800_000)
}
