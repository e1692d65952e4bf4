internal import FunnelIndex
public import FunnelModel

extension Journey {
  /// Returns the value of a dimension at an event: a stored value, or a part of the calendar date in the time zone.
  public func value(of dimension: Dimension, at event: JourneyEvent, in timeZone: TimeZoneRules) -> PropertyValue {
    if let text = timeZone.value(of: dimension, at: event.milliseconds) { return .string(text) }
    return segments.value(of: dimension, row: event.row)
  }
}

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
