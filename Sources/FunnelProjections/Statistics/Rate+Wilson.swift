package import FunnelModel

extension Rate {
  /// Creates the proportion of `count` in `total` with its Wilson score interval, or returns `nil` if the total is 0.
  ///
  /// E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", Journal of the American Statistical
  /// Association 22 (1927), 209–212.
  package init?(_ count: Int, of total: Int) {
    guard total > 0 else { return nil }
    let n = Double(total)
    let share = Double(count) / n
    let z = NormalDistribution.z975
    let zz = z * z
    let centre = (share + zz / (2 * n)) / (1 + zz / n)
    let half = z / (1 + zz / n) * (share * (1 - share) / n + zz / (4 * n * n)).squareRoot()
    // For none and all, the formula yields exactly 0 and 1, but rounding may not.
    self.init(
      value: share, low: count == 0 ? 0 : max(0, centre - half), high: count == total ? 1 : min(1, centre + half),
      denominator: total)
  }

  /// Returns the proportion without an interval, or `nil` if the total is 0.
  package static func share(_ count: Int, of total: Int) -> Double? {
    total > 0 ? Double(count) / Double(total) : nil
  }
}
