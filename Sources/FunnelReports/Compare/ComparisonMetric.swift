public import FunnelProjections

/// The share of one side's groups that has a property, as a count and a total.
public struct ComparedShare: Hashable, Sendable {
  public var count: Int
  public var total: Int

  public init(_ count: Int, of total: Int) {
    self.count = count
    self.total = total
  }

  /// The share with its confidence interval, or `nil` if the total is 0.
  public var rate: Rate? { Rate(count, of: total) }

  /// Returns the two proportions of a baseline and another side, or `nil` if a total is 0.
  static func proportions(_ a: ComparedShare, _ b: ComparedShare) -> TwoProportions? {
    TwoProportions(a: (a.count, of: a.total), b: (b.count, of: b.total))
  }
}

/// One metric of a comparison: the share of each side, their difference, and its significance.
public struct ComparisonMetric: Hashable, Sendable {
  /// The name, such as `reached:photos`.
  public let name: String
  /// The display name.
  public let label: String
  /// The share of the baseline, or `nil` if that side lacks the step or the permission.
  public let a: ComparedShare?
  /// The share of the other side, or `nil` if that side lacks the step or the permission.
  public let b: ComparedShare?
  /// The difference and its test, or `nil` if a side lacks the metric or its total is 0.
  public let comparison: TwoProportionComparison?
  /// Whether the verdict is about this metric.
  public var isPrimary = false
  /// The p value after Holm's correction, or `nil` without a test.
  ///
  /// The primary metric is corrected for the number of sides. All other metrics of the flow version are
  /// corrected together.
  public var holmP: Double?
  /// The p value at any look, corrected in the same way, or `nil` without a test. It decides whether the test
  /// may be stopped.
  var anytimeHolmP: Double?
  /// The difference within strata, or `nil` if no stratum has both sides. A comparison without strata has none.
  public var stratified: StratifiedComparison?
  /// The number of groups that each side needs to detect the requested change, or `nil` without a test.
  public var neededPerSide: Int?
  /// The number of days in which all sides together reach that size, or `nil` if the rate of entries is unknown.
  public var neededDays: Int?

  public init(_ name: String, label: String, a: ComparedShare?, b: ComparedShare?) {
    self.name = name
    self.label = label
    self.a = a
    self.b = b
    comparison =
      if let a, let b { ComparedShare.proportions(a, b).map { TwoProportionComparison($0) } } else { nil }
  }

  /// The name of the metric that every flow has.
  public static let conversionName = "conversion"

  /// The significance level.
  static let alpha = 0.05

  /// Whether the difference is significant after the correction for the number of tests.
  var isSignificant: Bool { holmP.map { $0 <= Self.alpha } ?? false }
}
