import FunnelModel

/// Parses fractions written as `0.01` or `1%`.
enum RateOption {
  /// Returns the fraction, from 0 to 1. Throws `usage` if the text is not one.
  static func rate(_ text: String, option: String) throws(FunnelError) -> Double {
    let isPercent = text.hasSuffix("%")
    let number = Double(isPercent ? String(text.dropLast()) : text).map { isPercent ? $0 / 100 : $0 }
    guard let number, (0...1).contains(number) else {
      throw FunnelError(.usage, "not a share, \(option) \(text.printable), write it as 0.01 or 1%")
    }
    return number
  }
}
