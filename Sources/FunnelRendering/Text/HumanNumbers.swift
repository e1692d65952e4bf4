package import FunnelModel

/// Formats numbers for sentences and tables.
///
///     HumanNumbers.count(1_234)                      // 1,234
///     HumanNumbers.percent(0.625)                    // 62.5 %
///     HumanNumbers.duration(milliseconds: 123_000)   // 2 m 3 s
package enum HumanNumbers {
  /// Returns a count with thousands separators, for example `1,234,567`.
  package static func count(_ value: Int) -> String { Quantity.count(value) }

  /// Returns an amount with thousands separators and all its decimal places, for example `4,064.5`.
  package static func amount(_ value: ExactDecimal) -> String { grouped(value.description) }

  /// Returns a mean or a statistic with thousands separators and at most two decimal places, for example `1,234.5`.
  package static func statistic(_ value: Double) -> String { grouped(decimal(value)) }

  /// Returns a number with thousands separators before its decimal point.
  private static func grouped(_ number: String) -> String {
    let sign = number.prefix { $0 == "-" }
    let digits = number.dropFirst(sign.count).prefix { $0.isASCII && $0.isNumber }
    return "\(sign)\(Quantity.grouped(digits))\(number.dropFirst(sign.count + digits.count))"
  }

  /// Returns a percentage such as `62.5 %`. Only exactly 0 and exactly 1 give `0 %` and `100 %`.
  package static func percent(_ share: Double) -> String {
    guard share > 0 else { return "0 %" }
    guard share < 1 else { return "100 %" }
    let tenths = Int((share * 1000).rounded())
    if tenths == 0 { return "<0.1 %" }
    if tenths == 1000 { return ">99.9 %" }
    return decimal(tenths: tenths) + " %"
  }

  /// Returns a percentage without decimal places and unit, such as `63`, where ``percent(_:)`` has no room. Only exactly
  /// 0 and exactly 1 give `0` and `100`.
  static func wholePercent(_ share: Double) -> String {
    guard share > 0 else { return "0" }
    guard share < 1 else { return "100" }
    let percents = Int((share * 100).rounded())
    if percents == 0 { return "<1" }
    if percents == 100 { return ">99" }
    return String(percents)
  }

  /// The bound above which numbers are written as they are, because their hundredths could overflow an `Int`.
  private static let decimalBound = 1e15

  /// Returns a number with at most two decimal places, for example `2.4`.
  package static func decimal(_ number: Double) -> String {
    guard number.isFinite, abs(number) < decimalBound else { return "\(number)" }
    let hundredths = Int((number * 100).rounded())
    let text = "\(abs(hundredths) / 100).\(abs(hundredths) / 10 % 10)\(abs(hundredths) % 10)"
    let sign = hundredths < 0 ? "-" : ""
    if text.hasSuffix("00") { return sign + text.dropLast(3) }
    if text.hasSuffix("0") { return sign + text.dropLast() }
    return sign + text
  }

  /// Returns the bounds of a 95 % interval in percent, for example `56.3` and `68.8`.
  package static func interval(_ rate: Rate) -> (low: String, high: String) {
    func bound(_ share: Double) -> String { decimal(tenths: Int((min(max(share, 0), 1) * 1000).rounded())) }
    return (bound(rate.low), bound(rate.high))
  }

  private static let second: Int64 = 1000
  private static let minute = 60 * second
  private static let day = 24 * 60 * minute
  /// The bound in milliseconds below which seconds have tenths. From there, a duration rounds to at least 10 s.
  private static let tenthsOfSecondsBound: Int64 = 9950
  /// The bound below which days have tenths.
  private static let tenthsOfDaysBound: Int64 = 100

  /// Returns a duration, for example `900 ms`, `1.5 s`, `12 s`, `2 m 3 s`, `3 h 20 m` or `1.2 d`.
  package static func duration(milliseconds: Int64) -> String {
    guard milliseconds > 0 else { return "0 s" }
    if milliseconds < second { return "\(milliseconds) ms" }
    if milliseconds < tenthsOfSecondsBound { return decimal(tenths: Int(rounded(milliseconds, to: second / 10))) + " s" }
    let seconds = rounded(milliseconds, to: second)
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 60 * 60 { return pair(seconds / 60, "m", seconds % 60, "s") }
    let minutes = rounded(milliseconds, to: minute)
    if minutes < 24 * 60 { return pair(minutes / 60, "h", minutes % 60, "m") }
    let tenthsOfDays = rounded(milliseconds, to: day / 10)
    if tenthsOfDays < 10 * tenthsOfDaysBound { return decimal(tenths: Int(tenthsOfDays)) + " d" }
    return count(Int(rounded(milliseconds, to: day))) + " d"
  }

  /// Returns the nearest number of units.
  private static func rounded(_ value: Int64, to unit: Int64) -> Int64 {
    assert(value >= 0 && unit > 1, "a duration is a number of units")
    return value / unit + (value % unit >= unit / 2 ? 1 : 0)
  }

  private static func pair(_ large: Int64, _ largeUnit: String, _ small: Int64, _ smallUnit: String) -> String {
    small == 0 ? "\(large) \(largeUnit)" : "\(large) \(largeUnit) \(small) \(smallUnit)"
  }

  private static func decimal(tenths: Int) -> String {
    assert(tenths >= 0, "the digits of a negative number would have two signs")
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension HumanNumbers {
  /// Returns a difference of shares in points, with one digit after the point, such as `+5.3`.
  package static func points(_ difference: Double, isSigned: Bool = true) -> String {
    let tenths = Int((difference * 1000).rounded())
    let sign = tenths < 0 ? "-" : isSigned && tenths > 0 ? "+" : ""
    return "\(sign)\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }

  /// Returns a probability such as `0.12`, or `<0.001`. It has three digits where two would round it to 0.05 or 0.
  package static func probability(_ p: Double) -> String {
    if p < 0.001 { return "<0.001" }
    if p >= 0.995 { return "1" }
    let thousandths = Int((p * 1000).rounded())
    if thousandths < 10 || (45..<55).contains(thousandths) {
      return "0.\(String(repeating: "0", count: thousandths < 10 ? 2 : 1))\(thousandths)"
    }
    let hundredths = Int((p * 100).rounded())
    return hundredths < 10 ? "0.0\(hundredths)" : "0.\(hundredths)"
  }

  /// Returns a probability in a sentence: `p = 0.12`, or `p < 0.001`.
  package static func probabilityClause(_ p: Double) -> String {
    p < 0.001 ? "p < 0.001" : "p = \(probability(p))"
  }
}
