public import FunnelModel
import FunnelProjections

/// What is told of the values of a property: how many there are, the mean and the bounds of the numbers, the most frequent values.
public struct PropertySummary: Hashable, Sendable {
  /// The number of values that are listed.
  static let topMax = 10

  public var key: String
  public var count: Int
  /// The mean of the values; nil if they are not all numbers.
  public var mean: Double?
  public var min: PropertyValue?
  public var max: PropertyValue?
  /// The most frequent values, most first.
  public var top: [(value: PropertyValue, count: Int)] { topValues.map { ($0.value, $0.count) } }
  private var topValues: [ValueCount]

  private struct ValueCount: Hashable, Sendable {
    var value: PropertyValue
    var count: Int
  }

  /// Returns the summaries of all properties, in the order of their keys.
  ///
  /// - Parameter counts: Counts of whole property sets (``PropertiesText``).
  static func summaries(of counts: ValueCounts) -> [PropertySummary] {
    var valuesByKey: [String: [PropertyValue: Int]] = [:]
    for (values, count) in counts.counts {
      for member in PropertiesText.decode(values[0]) {
        valuesByKey[member.key, default: [:]][member.value, default: 0] += count
      }
    }
    return valuesByKey.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { PropertySummary(key: $0, $1) }
  }

  private init(key: String, _ counts: [PropertyValue: Int]) {
    self.key = key
    count = counts.values.reduce(0, +)
    let all = counts.map { ValueCount(value: $0.key, count: $0.value) }.sorted { a, b in
      a.count != b.count ? a.count > b.count : ValueCounts.precedes([a.value], [b.value])
    }
    topValues = Array(all.prefix(Self.topMax))
    // Added in the order of the values, so that the sum does not depend on how they were counted.
    let numbers = all.filter { $0.value.numberValue != nil }.sorted { a, b in ValueCounts.precedes([a.value], [b.value]) }
    guard let first = numbers.first, let last = numbers.last else { return }
    let sum = numbers.reduce(0.0) { $0 + ($1.value.numberValue ?? 0) * Double($1.count) }
    mean = sum / Double(numbers.reduce(0) { $0 + $1.count })
    (min, max) = (first.value, last.value)
  }
}

/// A count with a name.
public struct NamedCount: Hashable, Sendable {
  public var name: String
  public var count: Int

  /// Returns counts of single values by their text, most first, equal ones by name.
  static func ofReasons(_ counts: ValueCounts) -> [NamedCount] {
    var byName: [String: Int] = [:]
    for (values, count) in counts.counts { byName[values[0] == .null ? "(none)" : values[0].description, default: 0] += count }
    return sorted(byName)
  }

  /// Returns counts by name, most first, equal ones by name.
  static func sorted(_ counts: [String: Int]) -> [NamedCount] {
    counts.map { NamedCount(name: $0.key, count: $0.value) }.sorted {
      $0.count != $1.count ? $0.count > $1.count : $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }
  }
}
