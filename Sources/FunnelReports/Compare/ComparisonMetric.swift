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
  /// The name, such as `reached:photos`.
  package let name: String
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

  package init(_ name: String, label: String, a: ComparedShare?, b: ComparedShare?) {
    self.name = name
    self.label = label
    self.a = a
    self.b = b
    comparison =
      if let a, let b { ComparedShare.proportions(a, b).map { TwoProportionComparison($0) } } else { nil }
  }

  /// The name of the metric that every flow has.
  package static let conversionName = "conversion"

  /// The significance level.
  static let alpha = 0.05

  /// Whether the difference is significant after the correction for the number of tests.
  var isSignificant: Bool { holmP.map { $0 <= Self.alpha } ?? false }
}
