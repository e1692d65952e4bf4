package import FunnelModel

/// The identity of a row in a table of days.
package struct DayKey: Hashable, Sendable, Comparable {
  /// The day on which the groups began.
  package var day: CivilDate
  package var app: String
  package var flow: String
  package var version: Int
  /// The step or the permission, or `nil` in a table of flows.
  package var part: String?

  package init(day: CivilDate, app: String, flow: String, version: Int, part: String?) {
    self.day = day
    self.app = app
    self.flow = flow
    self.version = version
    self.part = part
  }

  /// The reference of the flow version: `clarity/onboarding@2`.
  package var reference: String { "\(app)/\(flow)@\(version)" }

  package static func < (a: DayKey, b: DayKey) -> Bool {
    (a.day, a.app, a.flow, a.version, a.part ?? "") < (b.day, b.app, b.flow, b.version, b.part ?? "")
  }
}

/// A row of a table of days: the numbers of the groups that began on one day.
package struct DayRow: Hashable, Sendable {
  package let key: DayKey
  /// The values, one for each of the table's columns.
  package let values: [DayValue]

  package init(key: DayKey, values: [DayValue]) {
    self.key = key
    self.values = values
  }
}

/// A value of a table of days.
package enum DayValue: Hashable, Sendable {
  case integer(Int)
  case real(Double)
  case text(String)
  case null

  init(_ integer: Int?) { self = integer.map(DayValue.integer) ?? .null }
  init(_ number: Double?) { self = number.map(DayValue.real) ?? .null }
  init(_ text: String?) { self = text.map(DayValue.text) ?? .null }

  /// The integer, or `nil` for other values.
  package var integer: Int? {
    if case .integer(let integer) = self { integer } else { nil }
  }

  /// The text, or `nil` for other values.
  package var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}

/// A column of a table of days.
package struct DayColumn: Hashable, Sendable {
  /// The type of the column's values, any of which may be null.
  package enum Kind: Hashable, Sendable {
    /// A number of groups. Its changes are reported as restatements.
    case count
    /// A setting in milliseconds, or 0 and 1 for `false` and `true`.
    case integer
    /// A quantile of durations, in milliseconds.
    case quantile
    case real
    case text
  }

  /// The JSON key of the report. Nested keys are joined by `_`.
  package let name: String
  package let kind: Kind
  /// The path to the value in the JSON of the report. An array index is a key of decimal digits.
  let path: [String]
}
