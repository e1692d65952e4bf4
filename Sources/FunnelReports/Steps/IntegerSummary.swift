import FunnelProjections

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
