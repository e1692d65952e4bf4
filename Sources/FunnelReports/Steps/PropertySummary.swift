public import FunnelModel
import FunnelProjections

/// Statistics of the values of a property: their count, the mean and bounds of the numbers, and the most
/// frequent values.
public struct PropertySummary: Hashable, Sendable {
  /// The maximum number of values in ``top``.
  static let topMax = 10

  public var key: String
  public var count: Int
  /// The mean of the numbers among the values, or `nil` if there are none.
  public var mean: Double?
  public var min: PropertyValue?
  public var max: PropertyValue?
  /// The most frequent values, in descending order of count.
  public var top: [(value: PropertyValue, count: Int)] { topValues.map { ($0.value, $0.count) } }
  private var topValues: [ValueCount]

  private struct ValueCount: Hashable, Sendable {
    var value: PropertyValue
    var count: Int
  }

  /// Returns the summaries of all properties, in the order of their keys. Values are normalized as in segments.
  static func summaries(of counts: PropertyCounts, in flow: FlowDefinition) -> [PropertySummary] {
    counts.sorted.map {
      PropertySummary(key: $0.key, $0.values.ofSegmentValues(isText: flow.isVersion(.property($0.key))))
    }
  }

  private init(key: String, _ counts: PropertyValueCounts) {
    self.key = key
    let integers = IntegerSummary(counts.integers, topMax: Self.topMax)
    let others = counts.notIntegers.map { ValueCount(value: $0.value, count: $0.count) }
    count = integers.count + others.reduce(0) { $0 + $1.count }
    let candidates = integers.top.map { ValueCount(value: .integer($0.integer), count: $0.count) } + others
    topValues = Array(candidates.sorted(by: Self.isMoreFrequent).prefix(Self.topMax))
    let fractions = others.filter { $0.value.numberValue != nil }
    let bounds =
      ((integers.bounds.map { [$0.lowerBound, $0.upperBound] } ?? []).map(PropertyValue.integer) + fractions.map(\.value))
      .sorted { ValueCounts.precedes([$0], [$1]) }
    guard let first = bounds.first, let last = bounds.last else { return }
    min = first
    max = last
    let sum = fractions.isEmpty ? integers.exactSum ?? Self.sum(of: counts) : Self.sum(of: counts)
    mean = sum / Double(integers.count + fractions.reduce(0) { $0 + $1.count })
  }

  private static func isMoreFrequent(_ a: ValueCount, _ b: ValueCount) -> Bool {
    a.count != b.count ? a.count > b.count : ValueCounts.precedes([a.value], [b.value])
  }

  /// Returns the sum of the numbers, added in the order of the values, which makes it deterministic.
  private static func sum(of counts: PropertyValueCounts) -> Double {
    counts.sorted.reduce(0.0) { $0 + ($1.value.numberValue ?? 0) * Double($1.count) }
  }
}

/// A count with a name.
public struct NamedCount: Hashable, Sendable {
  public var name: String
  public var count: Int

  /// Returns the counts of single values by their text, in descending order of count, then by name.
  static func ofReasons(_ counts: ValueCounts) -> [NamedCount] {
    var byName: [String: Int] = [:]
    for (values, count) in counts.counts {
      let name = values[0] == .null ? "(none)" : values[0].segmentValue(isText: false).description
      byName[name, default: 0] += count
    }
    return sorted(byName)
  }

  /// Returns counts in descending order, equal ones by name.
  static func sorted(_ counts: [String: Int]) -> [NamedCount] {
    counts.map { NamedCount(name: $0.key, count: $0.value) }.sorted {
      $0.count != $1.count ? $0.count > $1.count : $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }
  }
}
