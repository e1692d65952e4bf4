/// The bound that `<`, `<=`, `>` and `>=` compare with.
///
/// A JSON number is compared as a number if the bound can be read as one. Every other value is compared as a dotted version; a value that
/// is not a version is neither before nor after the bound. Days, weeks and months are compared as strings, which sort chronologically:
/// `2026-11` includes all days of that month.
struct ConditionBound: Hashable, Sendable {
  private enum Meaning: Hashable, Sendable {
    case calendar
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
      meaning = .calendar
    } else {
      let (number, version) = (WrittenNumber(text), DottedVersion(text))
      guard number != nil || version != nil else { return nil }
      meaning = .quantity(number, version)
    }
  }

  /// Returns the order of a value relative to the bound, or nil if the two can't be compared.
  func order(of candidate: PropertyValue) -> ValueOrder? {
    switch (meaning, candidate) {
    case (.calendar, .string(let date)): Self.order(of: date, toBeginning: text)
    case (.calendar, _), (_, .null), (_, .bool): nil
    case (.quantity(let number?, _), .integer), (.quantity(let number?, _), .double): number.order(of: candidate)
    case (.quantity(_, let version), _):
      if let version, let other = DottedVersion(candidate.description) { ValueOrder(other, to: version) } else { nil }
    }
  }

  private static func order(of date: String, toBeginning text: String) -> ValueOrder {
    let beginning = date.utf8.prefix(text.utf8.count)
    if beginning.elementsEqual(text.utf8) { return .same }
    return beginning.lexicographicallyPrecedes(text.utf8) ? .before : .after
  }
}
