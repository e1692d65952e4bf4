package import FunnelModel

/// Parses the times of imported records.
///
/// A time without a zone is only accepted if an option sets the zone. No time is corrected or guessed.
package struct ImportedTime: Sendable {
  /// The notation of times in the format.
  let notation: FormatLayout.TimeNotation
  /// The form of times that the mapping names, or `nil` to use ``notation``.
  var form: TimeForm?
  /// The zone of times that have none, or `nil` to reject such times.
  let zone: TimeZoneRules?

  /// The result of parsing a value.
  enum Outcome: Hashable {
    case time(Timestamp)
    /// The value is a time without a zone, and no zone is given.
    case zoneMissing
    /// The value is not a time in the notation or the form.
    case notATime
  }

  /// Parses a value.
  func parse(_ value: ImportedValue) -> Outcome {
    if let text = value.string { return parse(text) }
    guard let text = value.numberText else { return .notATime }
    if form != nil { return parse(text.span) }
    return DecimalTime(text.span).flatMap(timestamp).map(Outcome.time) ?? .notATime
  }

  /// Parses a string.
  private func parse(_ text: Span<UInt8>) -> Outcome {
    if let form { return form.time(text).map(resolve) ?? .notATime }
    if let time = Timestamp(rfc3339: text) { return .time(time) }
    if let written = WrittenTime(isoLike: text) { return resolve(written) }
    guard notation != .rfc3339, notation != .utcWithoutZone, let number = DecimalTime(text) else { return .notATime }
    return timestamp(number).map(Outcome.time) ?? .notATime
  }

  /// Returns the moment of a written time.
  private func resolve(_ written: WrittenTime) -> Outcome {
    switch written {
    case .moment(let moment): return .time(moment)
    // The format defines the zone. The option may be meant for other files of the same command.
    case .local(let local) where notation == .utcWithoutZone && form == nil: return .time(local)
    case .local(let local): return zone.map { .time($0.moment(atLocal: local.milliseconds)) } ?? .zoneMissing
    }
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
}

// Times in columns of a table, by which the column of an event's time is inferred.
extension ImportedTime {
  /// Returns whether a text is a date and time, or a number of seconds, milliseconds or microseconds, between 2007 and 2100.
  ///
  /// - Parameter form: The form of the times, or `nil` for those that need none.
  package static func isTime(_ text: String, form: TimeForm? = nil) -> Bool { time(text, form: form) != nil }

  /// Returns the moment of a text, in UTC if it has no zone, or `nil` if it is no time between 2007 and 2100.
  ///
  /// - Parameter form: The form of the times, or `nil` for those that need none.
  package static func time(_ text: String, form: TimeForm? = nil) -> Timestamp? {
    let outcome = ImportedTime(notation: .any, form: form, zone: .utc).parse(Array(text.utf8).span)
    guard case .time(let time) = outcome, plausible.contains(time) else { return nil }
    return time
  }

  /// Returns whether a text is a date and time of any year. A number is not: outside of ``plausible`` it is more likely a count.
  ///
  /// - Parameter form: The form of the times, or `nil` for those that need none.
  package static func isTimeOfAnyYear(_ text: String, form: TimeForm? = nil) -> Bool {
    guard form != .spreadsheetDays, Double(text) == nil || form != nil else { return false }
    guard case .time = ImportedTime(notation: .any, form: form, zone: .utc).parse(Array(text.utf8).span) else { return false }
    return true
  }

  /// Returns whether a text is a date and time after those that an event may have: it is a placeholder, such as 9999-12-31, or an error.
  ///
  /// - Parameter form: The form of the times, or `nil` for those that need none.
  package static func isTooLate(_ text: String, form: TimeForm? = nil) -> Bool {
    guard isTimeOfAnyYear(text, form: form),
      case .time(let time) = ImportedTime(notation: .any, form: form, zone: .utc).parse(Array(text.utf8).span)
    else { return false }
    return time > plausible.upperBound
  }

  /// Returns whether a text is a date and time of day without a zone.
  package static func lacksZone(_ text: String, form: TimeForm? = nil) -> Bool {
    ImportedTime(notation: .any, form: form, zone: nil).parse(Array(text.utf8).span) == .zoneMissing
  }

  /// From the start of 2007 to that of 2100: numbers outside are more likely counts or IDs.
  private static let plausible =
    Timestamp(milliseconds: 1_167_609_600_000)...Timestamp(milliseconds: 4_102_444_800_000)
}
