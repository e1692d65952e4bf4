import FunnelModel
import FunnelRendering

extension ComparisonText {
  /// Returns a change in points, such as `5 points`, `0.5 points` or `1 point`.
  static func points(_ change: Double) -> String {
    // The option accepts hundredths of a point.
    let text = HumanNumbers.decimal((change * 10_000).rounded() / 100)
    return "\(text) point\(text == "1" ? "" : "s")"
  }

  /// Returns a difference in words, such as `5.3 points higher` or `no difference`.
  static func amount(_ difference: Double) -> String {
    guard difference != 0 else { return "no difference" }
    let text = HumanNumbers.points(abs(difference), isSigned: false)
    return "\(text) point\(text == "1.0" ? "" : "s") \(difference < 0 ? "lower" : "higher")"
  }

  /// Returns the interval of a difference, smaller magnitude first: `0.6 to 10.0`, or `1.2 lower to 3.4 higher` if
  /// it contains both signs.
  static func interval(low: Double, high: Double) -> String {
    func bound(_ value: Double) -> String { HumanNumbers.points(abs(value), isSigned: false) }
    if low >= 0 { return "\(bound(low)) to \(bound(high))" }
    if high <= 0 { return "\(bound(high)) to \(bound(low))" }
    return "\(bound(low)) lower to \(bound(high)) higher"
  }

  /// The maximum sample size that is printed. Larger ones are not practicable.
  private static let neededMax = 10_000_000

  /// Returns the number of groups that a side needs, such as `1,570`, or `>10,000,000` for a larger number.
  static func needed(_ count: Int) -> String {
    count > neededMax ? ">\(HumanNumbers.count(neededMax))" : HumanNumbers.count(count)
  }
}
