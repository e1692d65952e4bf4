public import FunnelModel

/// The options of a comparison that do not change which groups are counted.
public struct ComparisonSettings: Hashable, Sendable {
  /// The default change that sample sizes must detect, as a share: five percentage points.
  public static let defaultChange = 0.05

  /// The name of the metric that the verdict is about.
  public var primaryMetric = ComparisonMetric.conversionName
  /// The change that sample sizes must detect, as a share in `SampleSize.changes`.
  public var change = ComparisonSettings.defaultChange
  /// The intended ratio of the sizes of two sides, or `nil` if none is intended.
  public var ratio: SideRatio?
  /// The key whose values are the strata, or `nil` for a comparison without strata. It is the last dimension of
  /// the query.
  public var strata: Dimension?

  public init() {}

  /// Whether the verdict is about a rate among the people who were asked for a permission.
  var isOfPermission: Bool {
    primaryMetric != ComparisonMetric.conversionName && !primaryMetric.hasPrefix("reached:")
  }
}
