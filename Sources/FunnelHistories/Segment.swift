public import FunnelModel

/// A segment of a report: the groups that have the same value for each dimension of the query's `by`.
public struct Segment: Hashable, Sendable, Comparable {
  /// The values in the order of the dimensions.
  public var values: [PropertyValue]

  public init(values: [PropertyValue]) {
    self.values = values
  }

  /// Returns whether a segment comes before another by the first value that differs. Null comes last.
  public static func < (lhs: Segment, rhs: Segment) -> Bool {
    for (left, right) in zip(lhs.values, rhs.values) where left != right { return left < right }
    return false
  }
}
