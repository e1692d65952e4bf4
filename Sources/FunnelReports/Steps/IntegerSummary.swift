import FunnelProjections

/// The number, the bounds, the sum and the most frequent of integers, in one pass over their counts.
struct IntegerSummary {
  private(set) var count = 0
  /// The smallest and the largest integer; nil if there is none.
  private(set) var bounds: ClosedRange<Int64>?
  /// The most frequent integers, most first, equally frequent ones in ascending order.
  private(set) var top: [(integer: Int64, count: Int)] = []
  /// The sum, if adding doubles in any order would come to it exactly.
  var exactSum: Double? { magnitude == nil ? nil : Double(sum) }

  /// The largest integer up to which a double has every integer.
  private static let exactMax = 1 << 53

  private var sum = 0
  /// The sum of the integers without their signs, which bounds all sums of some of them; nil if it is too large to be exact.
  private var magnitude: Int? = 0

  /// - Parameter topMax: The largest number of frequent integers that are kept.
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
