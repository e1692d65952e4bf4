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
  /// The p of the test after Holm's correction for all tested metrics of the row.
  public fileprivate(set) var holmP: Double?

  public init(_ name: String, label: String, a: ComparedShare?, b: ComparedShare?) {
    self.name = name
    self.label = label
    self.a = a
    self.b = b
    comparison =
      if let a, let b { TwoProportionComparison(a: (a.count, of: a.total), b: (b.count, of: b.total)) } else { nil }
  }

  static let conversionName = "conversion"

  /// The largest corrected p that counts as more than chance.
  static let alpha = 0.05
}

extension [ComparisonMetric] {
  /// The metrics with the p of all tests among them corrected.
  var corrected: [ComparisonMetric] {
    var adjusted = HolmCorrection.adjusted(compactMap { $0.comparison?.p })[...]
    return map { metric in
      var metric = metric
      if metric.comparison != nil { metric.holmP = adjusted.removeFirst() }
      return metric
    }
  }
}
