public import FunnelModel

/// One cell of a segmentation: a value for each dimension of the query's `by`.
public struct Segment: Hashable, Sendable, Comparable {
  public var values: [PropertyValue]

  public init(values: [PropertyValue]) {
    self.values = values
  }

  /// Compares by the first value that differs; null comes last.
  public static func < (lhs: Segment, rhs: Segment) -> Bool {
    for (left, right) in zip(lhs.values, rhs.values) where left != right { return left < right }
    return false
  }
}
