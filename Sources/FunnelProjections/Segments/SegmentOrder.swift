import FunnelSequences
import FunnelModel

/// The order of segments in a report (specification section 3): first by time and version dimensions, then by size,
/// then by value.
struct SegmentOrder: Sendable {
  /// The order of the values of a dimension.
  private enum Comparison: Sendable {
    case byValue
    /// As versions; other values come after them, and null comes last.
    case asVersions
    /// As names of days of the week, from Monday to Sunday.
    case asWeekdays
  }

  /// The indices of the dimensions that are compared before the size, and the order of their values.
  private let leading: [(index: Int, comparison: Comparison)]

  /// Creates the order of segments by some dimensions.
  init(by dimensions: [Dimension]) {
    leading = dimensions.enumerated().compactMap { index, dimension in
      switch dimension {
      case .day, .week, .month, .hour, .version: (index, .byValue)
      case .weekday: (index, .asWeekdays)
      case .context("app_version"): (index, .asVersions)
      case .context, .property, .properties, .subject, .step: nil
      }
    }
  }

  /// Returns whether one segment comes before another. The sizes are the numbers of groups.
  func precedes(_ a: (segment: Segment, size: Int), _ b: (segment: Segment, size: Int)) -> Bool {
    for (index, comparison) in leading {
      // A damaged state may have a segment with too few values.
      guard index < a.segment.values.count, index < b.segment.values.count else { continue }
      let valueA = a.segment.values[index]
      let valueB = b.segment.values[index]
      switch comparison {
      case .byValue: if valueA != valueB { return valueA < valueB }
      case .asVersions: if let order = Self.versionOrder(valueA, valueB) { return order }
      case .asWeekdays:
        let dayA = Self.weekday(valueA)
        let dayB = Self.weekday(valueB)
        if dayA != dayB { return dayA < dayB }
      }
    }
    if a.size != b.size { return a.size > b.size }
    return a.segment.precedes(b.segment)
  }

  /// Returns whether one value comes before another as a version, or `nil` if they are equal.
  private static func versionOrder(_ a: PropertyValue, _ b: PropertyValue) -> Bool? {
    switch (version(a), version(b)) {
    case (let a?, let b?): a == b ? nil : a < b
    case (.some, nil): true
    case (nil, .some): false
    case (nil, nil): a == b ? nil : a < b
    }
  }

  /// Returns the ISO number of the day of the week with a name, from 1 for Monday, or `Int.max` for any other value.
  private static func weekday(_ value: PropertyValue) -> Int {
    if case .string(let name) = value, let day = CivilDate.isoWeekday(named: name) { day } else { .max }
  }

  /// Returns a value as a version, or `nil` if it is not one.
  private static func version(_ value: PropertyValue) -> DottedVersion? {
    value == .null ? nil : DottedVersion(value.description)
  }
}

extension Segment {
  /// Returns whether this segment comes before another in a total order that refines `<`. An integer comes before an
  /// equal fraction.
  fileprivate func precedes(_ other: Segment) -> Bool {
    if self < other { return true }
    if other < self { return false }
    for (left, right) in zip(values, other.values) where left != right {
      if case .integer = left { return true }
      return false
    }
    return false
  }
}
