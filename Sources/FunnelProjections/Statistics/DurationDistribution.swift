package import FunnelModel

/// A distribution of durations with quantiles, which can be merged with others.
///
/// Up to 1024 durations are stored individually, and quantiles are exact. More are counted in a high dynamic range
/// histogram of three significant digits (G. Tene, HdrHistogram), and quantiles are less than 0.1 % above the exact
/// ones. Quantiles do not depend on the order in which durations are recorded and distributions are merged.
package struct DurationDistribution: Sendable {
  /// The largest number of durations that are stored individually.
  static let exactCountMax = 1024

  /// The individual durations; empty unless ``isExact``.
  private var exact: [Int64] = []
  /// The histogram with 32-bit counts; empty if ``isExact``.
  private var buckets: DurationBuckets
  /// The histogram with 64-bit counts, of durations that would overflow ``buckets`` and of states; empty if ``isExact``.
  private var sparse = SparseDurationBuckets()
  /// Whether durations are stored individually.
  private var isExact = true
  /// The sum and the coarse histogram for display, or `nil` if they are not kept.
  package private(set) var histogram: DurationHistogram?

  /// Creates an empty distribution.
  ///
  /// - Parameters:
  ///   - longest: The longest duration to expect, in milliseconds. Longer durations take more memory.
  ///   - hasHistogram: Whether ``histogram`` is kept.
  package init(longest: Int64 = 2, hasHistogram: Bool = false) {
    buckets = DurationBuckets(longestExpected: longest)
    histogram = hasHistogram ? DurationHistogram() : nil
  }

  /// The number of durations recorded.
  package var count: Int { exact.count + buckets.count + sparse.count }

  /// Records a duration in milliseconds. A negative duration is recorded as 0.
  package mutating func record(_ milliseconds: Int64) {
    histogram?.record(milliseconds)
    if isExact {
      exact.append(max(0, milliseconds))
      if exact.count > Self.exactCountMax { moveIntoBuckets() }
      return
    }
    if !buckets.hasRoom(for: 1) { moveIntoSparseBuckets() }
    buckets.add(milliseconds)
  }

  /// Records many durations in milliseconds. A negative duration is recorded as 0.
  mutating func record(_ milliseconds: Span<Int64>) {
    if histogram != nil { for index in milliseconds.indices { histogram?.record(milliseconds[index]) } }
    keep(milliseconds)
  }

  /// Records durations for quantiles, but not in ``histogram``.
  private mutating func keep(_ milliseconds: Span<Int64>) {
    if isExact {
      for index in milliseconds.indices { exact.append(max(0, milliseconds[index])) }
      if exact.count > Self.exactCountMax { moveIntoBuckets() }
      return
    }
    if !buckets.hasRoom(for: milliseconds.count) { moveIntoSparseBuckets() }
    buckets.add(milliseconds)
  }

  /// Adds the durations of another distribution.
  package mutating func merge(_ other: DurationDistribution) {
    if let more = other.histogram { histogram?.merge(more) }
    if other.isExact {
      keep(other.exact.span)
      return
    }
    moveIntoBuckets()
    if other.sparse.count > 0 { sparse.merge(other.sparse) }
    if !buckets.hasRoom(for: other.buckets.count) { moveIntoSparseBuckets() }
    buckets.add(other.buckets)
  }

  /// Records durations of which only the buckets are known for quantiles, but not in ``histogram``.
  mutating func record(_ counts: SparseDurationBuckets) {
    moveIntoBuckets()
    sparse.merge(counts)
  }

  /// Adds to ``histogram``, if it is kept, durations that were recorded with ``record(_:)`` as buckets.
  mutating func addToHistogram(counts: [Int], sum: WideInteger) { histogram?.add(counts: counts, sum: sum) }

  /// Moves the individual durations to ``buckets``.
  private mutating func moveIntoBuckets() {
    guard isExact else { return }
    isExact = false
    let durations = exact
    exact = []
    buckets.add(durations.span)
  }

  /// Moves the durations of ``buckets`` to ``sparse``, so counts do not overflow.
  private mutating func moveIntoSparseBuckets() {
    sparse.merge(SparseDurationBuckets(buckets))
    buckets.removeAll()
  }
}

extension DurationDistribution {
  /// The durations in unspecified order, or `nil` if they are not stored individually.
  var exactDurations: [Int64]? { isExact ? exact : nil }

  /// The longest duration, in milliseconds, or 0 if durations are stored individually.
  var longest: Int64 { max(buckets.longest, sparse.longest) }

  /// The buckets that are not empty, ascending by index, with their counts; empty if durations are stored individually.
  var countsByBucket: [(bucket: Int, count: Int)] {
    var counts = SparseDurationBuckets(buckets)
    counts.merge(sparse)
    return counts.entries
  }

  /// The 50th, 90th and 99th percentile, or `nil` if nothing was recorded.
  package var quantiles: Quantiles? {
    values(atPercents: [50, 90, 99]).map { Quantiles(p50: $0[0], p90: $0[1], p99: $0[2]) }
  }

  /// Returns percentiles by nearest rank, the ⌈p·n⌉-th smallest of n, in milliseconds; or `nil` if nothing was recorded.
  ///
  /// - Parameter percents: The percentages, ascending, from 1 to 100.
  package func values(atPercents percents: [Int]) -> [Int64]? {
    guard count > 0 else { return nil }
    let ranks = percents.map { percent in
      // ⌈count · percent / 100⌉, without overflow.
      let (hundreds, remainder) = count.quotientAndRemainder(dividingBy: 100)
      return hundreds * percent + (remainder * percent + 99) / 100
    }
    guard isExact else { return buckets.values(atRanks: ranks, with: sparse) }
    let sorted = exact.sorted()
    return ranks.map { sorted[$0 - 1] }
  }
}
