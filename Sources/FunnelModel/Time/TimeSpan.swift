/// A length of time in whole milliseconds. Its text has one unit: `500ms`, `90s`, `30m`, `12h`, `7d` or `2w`.
package struct TimeSpan: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The length in milliseconds.
  package var milliseconds: Int64

  /// The longest span that ``init(_:)`` accepts.
  package static let longest = TimeSpan(milliseconds: Limits.windowMillisecondsMax)

  private static let millisecondsPerSecond: Int64 = 1000
  private static let millisecondsPerMinute: Int64 = 60_000
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
    let unit: Int64
    switch text.dropFirst(digits.count) {
    case "ms": unit = 1
    case "s": unit = Self.millisecondsPerSecond
    case "m": unit = Self.millisecondsPerMinute
    case "h": unit = Timestamp.millisecondsPerHour
    case "d": unit = Timestamp.millisecondsPerDay
    case "w": unit = 7 * Timestamp.millisecondsPerDay
    default: return nil
    }
    let (product, overflow) = count.multipliedReportingOverflow(by: unit)
    guard !overflow, product <= Self.longest.milliseconds else { return nil }
    milliseconds = product
  }

  /// The span in the largest unit up to a day that divides it evenly: `7d`, `36h`, `1500ms`.
  package var description: String {
    let units = [
      ("d", Timestamp.millisecondsPerDay), ("h", Timestamp.millisecondsPerHour), ("m", Self.millisecondsPerMinute),
      ("s", Self.millisecondsPerSecond),
    ]
    for (name, unit) in units where milliseconds != 0 && milliseconds % unit == 0 { return "\(milliseconds / unit)\(name)" }
    return "\(milliseconds)ms"
  }

  package static func < (lhs: TimeSpan, rhs: TimeSpan) -> Bool { lhs.milliseconds < rhs.milliseconds }
}
