/// The bound that `<`, `<=`, `>` and `>=` compare with.
///
/// Values of versions are compared as dotted versions. All others are compared as numbers where both the value and the bound read as one,
/// else as dotted versions where both look like one; a value that is neither is neither before nor after the bound. Days, weeks, months and
/// hours are compared as strings, which sort chronologically: `2026-11` includes all days of that month.
struct ConditionBound: Hashable, Sendable {
  private enum Meaning: Hashable, Sendable {
    /// The beginning of a day, week, month or hour.
    case calendar(String)
    /// A day of the week, from 1 for Monday.
    case weekday(Int)
    case quantity(WrittenNumber?, DottedVersion?)
  }

  /// The bound as written.
  let text: String
  private let meaning: Meaning

  /// Parses a bound, or returns nil if nothing can be compared with it.
  init?(_ text: String, for dimension: Dimension) {
    self.text = text
    if dimension.calendarExample != nil {
      guard dimension.isCalendarValue(text, whole: false) else { return nil }
      switch dimension {
      case .weekday:
        guard let day = CivilDate.isoWeekday(named: text) else { return nil }
        meaning = .weekday(day)
      // A bound of one digit is an hour, not the beginning of several.
      case .hour: meaning = .calendar(text.utf8.count == 1 ? "0\(text)" : text)
      default: meaning = .calendar(text)
      }
    } else {
      let (number, version) = (WrittenNumber(text), DottedVersion(text))
      guard number != nil || version != nil else { return nil }
      meaning = .quantity(number, version)
    }
  }

  /// Returns the order of a value relative to the bound, or nil if the two can't be compared.
  ///
  /// - Parameters:
  ///   - candidate: The value as a segment has it (``PropertyValue/segmentValue(isText:)``).
  ///   - text: The value as it was logged: as a version, 5.10 is not 5.1.
  ///   - isVersion: Whether the values of the key are versions.
  func order(of candidate: PropertyValue, text: String, isVersion: Bool) -> ValueOrder? {
    switch (meaning, candidate) {
    case (.calendar(let beginning), .string(let date)): Self.order(of: date, toBeginning: beginning)
    case (.weekday(let day), .string(let name)): CivilDate.isoWeekday(named: name).map { ValueOrder($0, to: day) }
    case (.calendar, _), (.weekday, _), (_, .null), (_, .bool): nil
    case (.quantity(let number, let version), _):
      if !isVersion, let number, let order = number.order(of: candidate) {
        order
      } else if let version, let other = DottedVersion(text) {
        ValueOrder(other, to: version)
      } else {
        nil
      }
    }
  }

  private static func order(of date: String, toBeginning text: String) -> ValueOrder {
    let beginning = date.utf8.prefix(text.utf8.count)
    if beginning.elementsEqual(text.utf8) { return .same }
    return beginning.lexicographicallyPrecedes(text.utf8) ? .before : .after
  }
}
