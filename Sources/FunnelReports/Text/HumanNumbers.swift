import FunnelProjections

/// Formats numbers for sentences and tables.
enum HumanNumbers {
  /// Returns a count with thousands separators, for example `1,234,567`.
  static func count(_ value: Int) -> String {
    let digits = Array(String(value.magnitude))
    var text = value < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// Returns a percentage such as `62.5 %`. Only exactly 0 and exactly 1 give `0 %` and `100 %`.
  static func percent(_ share: Double) -> String {
    guard share > 0 else { return "0 %" }
    guard share < 1 else { return "100 %" }
    let tenths = Int((share * 1000).rounded())
    if tenths == 0 { return "<0.1 %" }
    if tenths == 1000 { return ">99.9 %" }
    return decimal(tenths: tenths) + " %"
  }

  /// The bound above which numbers are written as they are, because their hundredths could overflow an `Int`.
  private static let decimalBound = 1e15

  /// Returns a number with at most two decimal places, for example `2.4`.
  static func decimal(_ number: Double) -> String {
    guard number.isFinite, abs(number) < decimalBound else { return "\(number)" }
    let hundredths = Int((number * 100).rounded())
    let text = "\(abs(hundredths) / 100).\(abs(hundredths) / 10 % 10)\(abs(hundredths) % 10)"
    let sign = hundredths < 0 ? "-" : ""
    if text.hasSuffix("00") { return sign + text.dropLast(3) }
    if text.hasSuffix("0") { return sign + text.dropLast() }
    return sign + text
  }

  /// Returns the bounds of a 95 % interval in percent, for example `56.3` and `68.8`.
  static func interval(_ rate: Rate) -> (low: String, high: String) {
    func bound(_ share: Double) -> String { decimal(tenths: Int((min(max(share, 0), 1) * 1000).rounded())) }
    return (bound(rate.low), bound(rate.high))
  }

  /// Returns a duration, for example `900 ms`, `1.5 s`, `12 s`, `2 m 3 s`, `3 h 20 m` or `1.2 d`.
  static func duration(milliseconds: Int64) -> String {
    guard milliseconds > 0 else { return "0 s" }
    if milliseconds < 1000 { return "\(milliseconds) ms" }
    // Below 9.95 s, which rounds to 10 s, tenths of seconds.
    if milliseconds < 9950 { return decimal(tenths: Int((milliseconds + 50) / 100)) + " s" }
    let seconds = rounded(milliseconds, to: 1000)
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3600 { return pair(seconds / 60, "m", seconds % 60, "s") }
    let minutes = rounded(milliseconds, to: 60_000)
    if minutes < 1440 { return pair(minutes / 60, "h", minutes % 60, "m") }
    let tenthsOfDays = rounded(milliseconds, to: 8_640_000)
    // From 100 days, whole days.
    return tenthsOfDays < 1000
      ? decimal(tenths: Int(tenthsOfDays)) + " d" : count(Int(rounded(milliseconds, to: 86_400_000))) + " d"
  }

  private static func rounded(_ value: Int64, to unit: Int64) -> Int64 {
    value / unit + (value % unit >= unit / 2 ? 1 : 0)
  }

  private static func pair(_ large: Int64, _ largeUnit: String, _ small: Int64, _ smallUnit: String) -> String {
    small == 0 ? "\(large) \(largeUnit)" : "\(large) \(largeUnit) \(small) \(smallUnit)"
  }

  private static func decimal(tenths: Int) -> String { "\(tenths / 10).\(tenths % 10)" }
}
