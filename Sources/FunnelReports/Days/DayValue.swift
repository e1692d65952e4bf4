/// A value of a table of days.
public enum DayValue: Hashable, Sendable {
  case integer(Int)
  case real(Double)
  case text(String)
  case null

  init(_ count: Int?) { self = count.map(DayValue.integer) ?? .null }
  init(_ number: Double?) { self = number.map(DayValue.real) ?? .null }
  init(_ text: String?) { self = text.map(DayValue.text) ?? .null }

  /// The integer, or `nil` for other values.
  public var count: Int? {
    if case .integer(let count) = self { count } else { nil }
  }

  /// The text, or `nil` for other values.
  public var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}

/// A column of a table of days.
public struct DayColumn: Hashable, Sendable {
  /// The type of the column's values, any of which may be null.
  public enum Kind: Hashable, Sendable {
    /// A number of groups. Its changes are reported as restatements.
    case count
    /// Another integer, such as milliseconds, or 0 and 1 for `false` and `true`.
    case integer
    case real
    case text
  }

  /// The JSON key of the report. Nested keys are joined by `_`.
  public let name: String
  public let kind: Kind
  /// The path to the value in the JSON of the report. An array index is a key of decimal digits.
  let path: [String]
}
