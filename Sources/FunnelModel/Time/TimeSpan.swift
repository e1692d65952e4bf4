/// A length of time in whole milliseconds, as users write it: `500ms`, `90s`, `30m`, `12h`, `7d`, `2w`.
public struct TimeSpan: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The length in milliseconds.
  public var milliseconds: Int64

  /// The longest span that is accepted in text.
  public static let longest = TimeSpan(milliseconds: Limits.windowMillisecondsMax)

  /// Creates a span from a number of milliseconds.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Parses `500ms`, `90s`, `30m`, `12h`, `7d` or `2w`: an integer and one unit.
  ///
  /// - Returns: nil if the text is anything else, or longer than ``longest``.
  public init?(_ text: some StringProtocol) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, digits.utf8.count <= 15, let count = Int64(digits) else { return nil }
    let unit: Int64
    switch text.dropFirst(digits.count) {
    case "ms": unit = 1
    case "s": unit = 1000
    case "m": unit = 60_000
    case "h": unit = 3_600_000
    case "d": unit = Timestamp.millisecondsPerDay
    case "w": unit = 7 * Timestamp.millisecondsPerDay
    default: return nil
    }
    let (product, overflow) = count.multipliedReportingOverflow(by: unit)
    guard !overflow, product <= Self.longest.milliseconds else { return nil }
    milliseconds = product
  }

  /// The span in the largest unit that divides it evenly: `7d`, `36h`, `1500ms`.
  public var description: String {
    let units: [(String, Int64)] = [("d", Timestamp.millisecondsPerDay), ("h", 3_600_000), ("m", 60_000), ("s", 1000)]
    for (name, unit) in units where milliseconds != 0 && milliseconds % unit == 0 { return "\(milliseconds / unit)\(name)" }
    return "\(milliseconds)ms"
  }

  public static func < (lhs: TimeSpan, rhs: TimeSpan) -> Bool { lhs.milliseconds < rhs.milliseconds }
}
