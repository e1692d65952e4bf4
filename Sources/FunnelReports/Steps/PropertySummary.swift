package import FunnelModel
import FunnelProjections

/// Statistics of the values of a property: their count, the mean and bounds of the numbers, and the most
/// frequent values.
package struct PropertySummary: Hashable, Sendable {
  /// The maximum number of values in ``top``.
  static let topMax = 10

  package var key: String
  package var count: Int
  /// The mean of the numbers among the values, or `nil` if there are none.
  package var mean: Double?
  package var min: PropertyValue?
  package var max: PropertyValue?
  /// The most frequent values, in descending order of count.
  package var top: [ValueCount]

  package struct ValueCount: Hashable, Sendable {
    package var value: PropertyValue
    package var count: Int
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
    top = Array(candidates.sorted(by: Self.isMoreFrequent).prefix(Self.topMax))
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
package struct NamedCount: Hashable, Sendable {
  package var name: String
  package var count: Int

  /// The name of the count of events without a value.
  static let noValue = "(none)"

  /// Returns the counts of single values by their text, in descending order of count, then by name.
  static func ofReasons(_ counts: ValueCounts) -> [NamedCount] {
    var byName: [String: Int] = [:]
    for (values, count) in counts.counts {
      let name = values[0] == .null ? noValue : values[0].segmentValue(isText: false).description
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

/// The count, bounds, sum and most frequent elements of a multiset of integers, computed in one pass.
struct IntegerSummary {
  private(set) var count = 0
  /// The smallest and the largest integer, or `nil` if there are no integers.
  private(set) var bounds: ClosedRange<Int64>?
  /// The most frequent integers in descending order of count. Equally frequent ones are in ascending order.
  private(set) var top: [(integer: Int64, count: Int)] = []
  /// The sum, or `nil` if a sum of doubles could be inexact in some order of addition.
  var exactSum: Double? { magnitude == nil ? nil : Double(sum) }

  /// The largest integer up to which every integer is exact as a double.
  private static let exactMax = 1 << 53

  private var sum = 0
  /// The sum of absolute values, an upper bound of every partial sum, or `nil` above 2⁵³.
  private var magnitude: Int? = 0

  /// Summarizes integers.
  ///
  /// - Parameter topMax: The maximum number of integers in ``top``.
  init(_ counts: IntegerCounts, topMax: Int) {
    precondition(topMax > 0, "a summary has a most frequent integer")
    counts.forEach { integer, times in
      count += times
      bounds = bounds.map { min($0.lowerBound, integer)...max($0.upperBound, integer) } ?? integer...integer
      add(integer, times)
      if let last = top.last, top.count == topMax, !Self.isMoreFrequent((integer, times), last) { return }
      top.insert((integer, times), at: top.firstIndex { Self.isMoreFrequent((integer, times), $0) } ?? top.count)
      if top.count > topMax { top.removeLast() }
    }
  }

  private mutating func add(_ integer: Int64, _ times: Int) {
    guard let before = magnitude else { return }
    let (product, overflow) = integer.magnitude.multipliedReportingOverflow(by: UInt64(times))
    guard !overflow, product <= UInt64(Self.exactMax) else { return magnitude = nil }
    magnitude = before + Int(product)
    if before + Int(product) > Self.exactMax { magnitude = nil }
    sum += integer < 0 ? -Int(product) : Int(product)
  }

  private static func isMoreFrequent(_ a: (integer: Int64, count: Int), _ b: (integer: Int64, count: Int)) -> Bool {
    a.count != b.count ? a.count > b.count : a.integer < b.integer
  }
}
