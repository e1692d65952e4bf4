public import FunnelProjections

/// A share of one side of a comparison.
public struct ComparedShare: Hashable, Sendable {
  public var count: Int
  public var total: Int

  public init(_ count: Int, of total: Int) {
    self.count = count
    self.total = total
  }

  /// The share with its interval; nil if the total is 0.
  public var rate: Rate? { Rate(count, of: total) }

  /// Returns the two proportions of a baseline and another side, or nil if one has no total.
  static func proportions(_ a: ComparedShare, _ b: ComparedShare) -> TwoProportions? {
    TwoProportions(a: (a.count, of: a.total), b: (b.count, of: b.total))
  }
}

/// A number that both sides of a comparison may have, and what its difference comes to.
public struct ComparisonMetric: Hashable, Sendable {
  /// The name, such as `reached:photos`.
  public let name: String
  /// The name for people.
  public let label: String
  /// The share of the baseline; nil if that side lacks the step or the permission.
  public let a: ComparedShare?
  /// The share of the other side; nil if it lacks the step or the permission.
  public let b: ComparedShare?
  /// The difference and its test; nil if a side lacks the metric, or is the share of no group.
  public let comparison: TwoProportionComparison?
  /// Whether the verdict is about this metric.
  public var isPrimary = false
  /// The p of the test after Holm's correction: that of the primary metric for the number of sides, those of all others of the flow version
  /// together.
  public var holmP: Double?
  /// The p at any look, corrected for the number of sides in the same way. It decides the verdict.
  var anytimeHolmP: Double?
  /// The difference within strata; nil without strata, and if no stratum has both sides.
  public var stratified: StratifiedComparison?
  /// The groups that each side needs to show the change that was asked for; nil without a test.
  public var neededPerSide: Int?
  /// The days that all sides together need to have that many; nil if nothing is known of how many come a day.
  public var neededDays: Int?

  public init(_ name: String, label: String, a: ComparedShare?, b: ComparedShare?) {
    self.name = name
    self.label = label
    self.a = a
    self.b = b
    comparison =
      if let a, let b { ComparedShare.proportions(a, b).map { TwoProportionComparison($0) } } else { nil }
  }

  public static let conversionName = "conversion"

  /// The largest p that counts as more than chance.
  static let alpha = 0.05

  /// Whether the difference is more than chance, with the correction for the number of tests.
  var isSignificant: Bool { holmP.map { $0 <= Self.alpha } ?? false }
}
