/// Formats numbers for display.
package enum Quantity {
  /// Returns a number with thousands separators, such as `12,345`.
  package static func count(_ number: Int) -> String { (number < 0 ? "-" : "") + grouped("\(number.magnitude)") }

  /// Returns decimal digits with thousands separators.
  package static func grouped(_ digits: some StringProtocol) -> String {
    var digits = Array(digits)
    var position = digits.count - 3
    while position > 0 {
      digits.insert(",", at: position)
      position -= 3
    }
    return String(digits)
  }

  /// Returns a number with its noun, such as `1 event` or `12,345 events`.
  package static func counted(_ number: Int, _ noun: String) -> String { "\(count(number)) \(noun)\(number == 1 ? "" : "s")" }

  /// Returns a size in bytes such as `12 B`, `3.4 KB` or `250 MB`. Units are powers of 1000.
  package static func bytes(_ number: Int) -> String {
    let units = ["B", "KB", "MB", "GB", "TB"]
    var value = Double(number)
    var unit = 0
    while value >= 999.5, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    if unit > 0, value < 9.95 {
      let tenths = Int((value * 10).rounded())
      return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
    return "\(Int(value.rounded())) \(units[unit])"
  }
}
