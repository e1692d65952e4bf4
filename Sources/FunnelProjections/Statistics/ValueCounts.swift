public import FunnelModel

/// The number of times each value was counted, for values that are one or several properties together.
public struct ValueCounts: Hashable, Sendable {
  public private(set) var counts: [[PropertyValue]: Int] = [:]

  mutating func add(_ values: [PropertyValue], _ amount: Int) { counts[values, default: 0] += amount }

  mutating func merge(_ other: ValueCounts) {
    for (values, count) in other.counts { add(values, count) }
  }

  /// The values with their counts, in the order of the values.
  public var sorted: [(values: [PropertyValue], count: Int)] {
    counts.map { (values: $0.key, count: $0.value) }.sorted { Self.precedes($0.values, $1.values) }
  }

  /// Returns whether values come before others: by the first that differs.
  public static func precedes(_ a: [PropertyValue], _ b: [PropertyValue]) -> Bool {
    for (left, right) in zip(a, b) where left != right {
      if left < right { return true }
      if right < left { return false }
      // An integer precedes an equal fraction.
      if case .integer = left { return true }
      return false
    }
    return a.count < b.count
  }
}
