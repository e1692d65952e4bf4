package import FunnelModel

/// A segment of a report: the groups that have the same value for each dimension of the query's `by`.
package struct Segment: Hashable, Sendable, Comparable {
  /// The values in the order of the dimensions.
  package var values: [PropertyValue]

  package init(values: [PropertyValue]) {
    self.values = values
  }

  /// Returns whether a segment comes before another by the first value that differs. Null comes last.
  package static func < (lhs: Segment, rhs: Segment) -> Bool {
    for (left, right) in zip(lhs.values, rhs.values) where left != right { return left < right }
    return false
  }
}
