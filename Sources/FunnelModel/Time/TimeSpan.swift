/// A length of time in whole milliseconds. Its text has one unit: `500ms`, `90s`, `30m`, `12h`, `7d` or `2w`.
package struct TimeSpan: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The length in milliseconds.
  package let milliseconds: Int64

  /// The longest span that ``init(_:)`` accepts.
  package static let longest = TimeSpan(milliseconds: Limits.windowMillisecondsMax)

  /// The maximum number of digits in a text. ``longest`` has 12 digits in milliseconds.
  private static let digitsMax = 15

  /// Creates a span from a number of milliseconds.
  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Parses an integer and a unit, or returns `nil` if the text is anything else or the span is longer than ``longest``.
  package init?(_ text: some StringProtocol) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, digits.utf8.count <= Self.digitsMax, let count = Int64(digits) else { return nil }
    guard let unit = Unit(rawValue: String(text.dropFirst(digits.count))) else { return nil }
    let (product, overflow) = count.multipliedReportingOverflow(by: unit.milliseconds)
    guard !overflow, product <= Self.longest.milliseconds else { return nil }
    milliseconds = product
  }

  /// A unit of a text. The raw value is its syntax.
  private enum Unit: String {
    case milliseconds = "ms"
    case seconds = "s"
    case minutes = "m"
    case hours = "h"
    case days = "d"
    case weeks = "w"

    /// The length of the unit.
    var milliseconds: Int64 {
      switch self {
      case .milliseconds: 1
      case .seconds: Timestamp.millisecondsPerSecond
      case .minutes: Timestamp.millisecondsPerMinute
      case .hours: Timestamp.millisecondsPerHour
      case .days: Timestamp.millisecondsPerDay
      case .weeks: 7 * Timestamp.millisecondsPerDay
      }
    }
  }

  /// The span in the largest unit up to a day that divides it evenly: `7d`, `36h`, `1500ms`.
  package var description: String {
    let units: [Unit] = milliseconds == 0 ? [] : [.days, .hours, .minutes, .seconds]
    let unit = units.first { milliseconds % $0.milliseconds == 0 } ?? .milliseconds
    return "\(milliseconds / unit.milliseconds)\(unit.rawValue)"
  }

  package static func < (lhs: TimeSpan, rhs: TimeSpan) -> Bool { lhs.milliseconds < rhs.milliseconds }
}
