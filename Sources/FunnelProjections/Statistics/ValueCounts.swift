package import FunnelModel

/// The number of times each combination of values of one or more keys was counted.
package struct ValueCounts: Hashable, Sendable {
  /// The count of each combination, whose values are in the order of the keys.
  package private(set) var counts: [[PropertyValue]: Int] = [:]

  /// Adds to the count of a combination.
  mutating func add(_ values: [PropertyValue], _ amount: Int) { counts[values, default: 0] += amount }

  /// Adds the counts of other groups.
  mutating func merge(_ other: ValueCounts) {
    for (values, count) in other.counts { add(values, count) }
  }

  /// The combinations with their counts, ascending (``precedes(_:_:)``).
  package var sorted: [(values: [PropertyValue], count: Int)] {
    counts.map { (values: $0.key, count: $0.value) }.sorted { Self.precedes($0.values, $1.values) }
  }

  /// Returns whether a combination comes before another by the first value that differs. Integers come before equal fractions.
  package static func precedes(_ a: [PropertyValue], _ b: [PropertyValue]) -> Bool {
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
