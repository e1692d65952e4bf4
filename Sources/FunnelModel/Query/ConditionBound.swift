/// The operand of `<`, `<=`, `>` and `>=` in a segment condition.
///
/// The dimension determines how a value is compared:
/// - Values of a version key are compared as dotted versions: 5.10 follows 5.9.
/// - Days, weeks, months and hours are compared as strings, which sort chronologically. A bound may be a
///   prefix: `2026-11` equals every day of that month.
/// - Weekdays are compared by their ISO 8601 number.
/// - Other values are compared as numbers if the value and the bound are both numbers, otherwise as dotted
///   versions if both are versions. Any other value has no order and meets no condition.
struct ConditionBound: Hashable, Sendable {
  /// The parsed bound.
  private enum Value: Hashable, Sendable {
    /// A day, week, month or hour, or a prefix of one.
    case calendar(prefix: String)
    /// A day of the week, from 1 for Monday.
    case weekday(Int)
    /// The bound as a number and as a version. At least one is present.
    case quantity(number: WrittenNumber?, version: DottedVersion?)
  }

  /// The bound as written.
  let text: String
  private let value: Value

  /// Parses a bound, or returns `nil` if the text is not a valid bound for the dimension.
  init?(_ text: String, for dimension: Dimension) {
    self.text = text
    if dimension.calendarExample != nil {
      guard dimension.isCalendarPrefix(text) else { return nil }
      switch dimension {
      case .weekday:
        guard let day = CivilDate.isoWeekday(named: text) else { return nil }
        value = .weekday(day)
      // A single digit is a whole hour, not a prefix of several: 1 is 01, not 10 to 19.
      case .hour: value = .calendar(prefix: text.utf8.count == 1 ? "0\(text)" : text)
      default: value = .calendar(prefix: text)
      }
    } else {
      let number = WrittenNumber(text)
      let version = DottedVersion(text)
      guard number != nil || version != nil else { return nil }
      value = .quantity(number: number, version: version)
    }
  }

  /// Returns the order of a value relative to the bound, or `nil` if the two have no order.
  ///
  /// - Parameters:
  ///   - candidate: The normalized value (``PropertyValue/segmentValue(isText:)``).
  ///   - text: The value as it was logged, for the comparison of versions: normalization would turn 5.10 into 5.1.
  ///   - isVersion: Whether the values of the key are versions.
  func order(of candidate: PropertyValue, text: String, isVersion: Bool) -> ValueOrder? {
    switch (value, candidate) {
    case (.calendar(let prefix), .string(let date)): Self.order(of: date, toPrefix: prefix)
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

  /// Compares the first bytes of a date, as many as the prefix has, with the prefix.
  private static func order(of date: String, toPrefix prefix: String) -> ValueOrder {
    let start = date.utf8.prefix(prefix.utf8.count)
    if start.elementsEqual(prefix.utf8) { return .same }
    return start.lexicographicallyPrecedes(prefix.utf8) ? .before : .after
  }
}
