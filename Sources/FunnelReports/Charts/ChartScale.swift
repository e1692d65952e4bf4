/// Round values for the axis of a chart.
enum ChartScale {
  /// Returns the smallest round number that is not below a value: 1, 2 or 5 times a power of ten.
  static func roundedUp(_ value: Double) -> Double {
    guard value > 0, value.isFinite else { return 1 }
    var power = 1.0
    while power > value { power /= 10 }
    while power * 10 <= value { power *= 10 }
    // The tolerance keeps a value that is round except for rounding errors.
    return [1, 2, 5, 10].map { $0 * power }.first { $0 >= value * (1 - 1e-9) } ?? 10 * power
  }

  /// Returns the upper end of an axis of shares that includes a value: 5 %, 10 %, 25 %, 50 % or 100 %.
  static func shareTop(_ value: Double) -> Double {
    [0.05, 0.1, 0.25, 0.5].first { value <= $0 } ?? 1
  }
}
