/// The form in which the records of an input write times: a pattern such as `dd.MM.yyyy HH:mm`, or the day numbers of
/// spreadsheets.
///
/// A mapping names a form if the times can't be read without one: `{"path": "when", "format": "dd.MM.yyyy HH:mm"}`.
package enum TimeForm: Hashable, Sendable {
  /// A pattern of date fields.
  case pattern(TimePattern)
  /// The number of days since 1899-12-30, with the time of day as a fraction, as Excel stores times.
  case spreadsheetDays

  /// The form's name in a mapping.
  package var text: String {
    switch self {
    case .pattern(let pattern): pattern.text
    case .spreadsheetDays: Self.spreadsheetName
    }
  }

  private static let spreadsheetName = "excel"

  /// Parses a form.
  ///
  /// - Throws: A clause that says what is wrong with the form.
  package init(_ text: String) throws(TimePattern.Problem) {
    self = text == Self.spreadsheetName ? .spreadsheetDays : .pattern(try TimePattern(text))
  }

  /// Returns the time of a text in this form, or `nil` if the text has another form.
  package func time(_ text: Span<UInt8>) -> WrittenTime? {
    switch self {
    case .pattern(let pattern): pattern.time(text)
    // Spreadsheets of many countries write a decimal comma.
    case .spreadsheetDays: Double(String(utf8: text).replacing(",", with: ".")).flatMap(Self.time(spreadsheetDays:))
    }
  }

  /// Returns the time of a day number, or `nil` if the number is outside the years 1900 to 9999.
  package static func time(spreadsheetDays days: Double) -> WrittenTime? {
    guard days >= 0, days < lastSpreadsheetDay else { return nil }
    // A time of day such as 14:05 is no binary fraction, so the nearest millisecond is meant.
    let milliseconds = Int64((days * Double(Timestamp.millisecondsPerDay)).rounded())
    return .local(Timestamp(milliseconds: spreadsheetEpoch + milliseconds))
  }

  /// 1899-12-30T00:00:00Z in milliseconds since the epoch. Spreadsheets count a 29 February in 1900, so the days after it are
  /// right if day 1 is 1899-12-31.
  private static let spreadsheetEpoch: Int64 = -25_569 * Timestamp.millisecondsPerDay
  /// The day after 9999-12-31.
  private static let lastSpreadsheetDay = 2_958_466.0
}
