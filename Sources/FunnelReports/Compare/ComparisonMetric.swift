package import FunnelModel
package import FunnelProjections

/// The share of one side's groups that has a property, as a count and a total.
package struct ComparedShare: Hashable, Sendable {
  package var count: Int
  package var total: Int

  package init(_ count: Int, of total: Int) {
    self.count = count
    self.total = total
  }

  /// The share with its confidence interval, or `nil` if the total is 0.
  package var rate: Rate? { Rate(count, of: total) }

  /// Returns the two proportions of a baseline and another side, or `nil` if a total is 0.
  static func proportions(_ a: ComparedShare, _ b: ComparedShare) -> TwoProportions? {
    TwoProportions(a: (a.count, of: a.total), b: (b.count, of: b.total))
  }
}

/// One metric of a comparison: the share of each side, their difference, and its significance.
package struct ComparisonMetric: Hashable, Sendable {
  package let id: MetricName
  /// The display name.
  package let label: String
  /// The share of the baseline, or `nil` if that side lacks the step or the permission.
  package let a: ComparedShare?
  /// The share of the other side, or `nil` if that side lacks the step or the permission.
  package let b: ComparedShare?
  /// The difference and its test, or `nil` if a side lacks the metric or its total is 0.
  package let comparison: TwoProportionComparison?
  /// Whether the verdict is about this metric.
  package var isPrimary = false
  /// The p value after Holm's correction, or `nil` without a test.
  ///
  /// The primary metric is corrected for the number of sides. All other metrics of the flow version are
  /// corrected together.
  package var holmP: Double?
  /// The p value at any look, corrected in the same way, or `nil` without a test. It decides whether the test
  /// may be stopped.
  var anytimeHolmP: Double?
  /// The difference within strata, or `nil` if no stratum has both sides. A comparison without strata has none.
  package var stratified: StratifiedComparison?
  /// The number of groups that each side needs to detect the requested change, or `nil` without a test.
  package var neededPerSide: Int?
  /// The number of days in which all sides together reach that size, or `nil` if the rate of entries is unknown.
  package var neededDays: Int?

  /// Compares a baseline with another side.
  init(_ id: MetricName, of a: ComparisonSide, _ b: ComparisonSide) {
    self.id = id
    label =
      switch id {
      case .conversion: "Conversion"
      // The label of the newer side, because versions are usually given the older one first.
      case .reached(let step): "Reached: \((b.steps + a.steps).first { $0.id == step }?.label ?? step)"
      case .grantRate(let permission): "Grant rate: \(permission)"
      case .accessRate(let permission): "Access rate: \(permission)"
      case .dialogGrantRate(let permission): "In dialog: \(permission)"
      }
    self.a = a.share(of: id)
    self.b = b.share(of: id)
    comparison = if let a = self.a, let b = self.b { ComparedPair.test(a, b) } else { nil }
  }

  /// The name in JSON and CSV, such as `reached:photos`.
  package var name: String { id.description }

  /// The significance level.
  static let alpha = 0.05

  /// Whether the difference is significant after the correction for the number of tests.
  var isSignificant: Bool { holmP.map { $0 <= Self.alpha } ?? false }
}
