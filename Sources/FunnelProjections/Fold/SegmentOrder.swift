import FunnelHistories
import FunnelModel

/// The order of segments in a report (specification section 3): first by time and version dimensions, then by size, then by value.
struct SegmentOrder: Sendable {
  /// The way in which the values of a dimension are compared.
  private enum Comparison: Sendable {
    case byValue
    case asVersions
    /// As names of days of the week, from Monday to Sunday.
    case asWeekdays
  }

  /// The places of the dimensions that are compared before the size, and the way in which their values are compared.
  private let leading: [(place: Int, comparison: Comparison)]

  init(by dimensions: [Dimension]) {
    leading = dimensions.enumerated().compactMap { place, dimension in
      switch dimension {
      case .day, .week, .month, .hour, .version: (place, .byValue)
      case .weekday: (place, .asWeekdays)
      case .context("app_version"): (place, .asVersions)
      case .context, .property, .properties, .subject, .step: nil
      }
    }
  }

  /// Returns whether one segment, with its number of groups, comes before another.
  func precedes(_ a: (segment: Segment, size: Int), _ b: (segment: Segment, size: Int)) -> Bool {
    for (place, comparison) in leading {
      // A damaged state may have a segment with too few values.
      guard place < a.segment.values.count, place < b.segment.values.count else { continue }
      let (valueA, valueB) = (a.segment.values[place], b.segment.values[place])
      switch comparison {
      case .byValue: if valueA != valueB { return valueA < valueB }
      case .asVersions: if let order = Self.versionOrder(valueA, valueB) { return order }
      case .asWeekdays:
        let (dayA, dayB) = (Self.weekday(valueA), Self.weekday(valueB))
        if dayA != dayB { return dayA < dayB }
      }
    }
    if a.size != b.size { return a.size > b.size }
    return a.segment.precedes(b.segment)
  }

  /// Returns whether one value comes before another as a version, or nil if they are equal: versions first, then other values, null last.
  private static func versionOrder(_ a: PropertyValue, _ b: PropertyValue) -> Bool? {
    switch (version(a), version(b)) {
    case (let a?, let b?): a == b ? nil : a < b
    case (.some, nil): true
    case (nil, .some): false
    case (nil, nil): a == b ? nil : a < b
    }
  }

  /// Returns the day of the week that a value names, from 1 for Monday; a number beyond all days for any other value.
  private static func weekday(_ value: PropertyValue) -> Int {
    if case .string(let name) = value, let day = CivilDate.isoWeekday(named: name) { day } else { .max }
  }

  private static func version(_ value: PropertyValue) -> DottedVersion? {
    value == .null ? nil : DottedVersion(value.description)
  }
}

extension Segment {
  /// Returns whether this segment comes first in a total order that refines `<`: an integer precedes an equal fraction.
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
