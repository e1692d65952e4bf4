import FunnelModel

/// A distribution of durations, reduced to the data that its quantiles need.
///
/// Up to 1024 durations are kept exactly. More are counted in a high dynamic range histogram of three significant digits (G. Tene,
/// HdrHistogram), whose quantiles are less than 0.1 % above the exact ones. The choice depends only on the number of durations, so the
/// quantiles depend only on the durations and not on the order in which they were recorded or merged.
public struct DurationDistribution: Sendable {
  /// The largest number of durations that are kept exactly.
  static let exactCountMax = 1024

  /// The exact durations, as long as there are few.
  private var exact: [Int64] = []
  /// The histogram of many durations; empty as long as there are few.
  private var cells: DurationBuckets
  /// The durations of histograms whose counts were close to overflow, and of states.
  private var sparse = SparseDurationBuckets()
  private var isExact = true
  /// The sum and the histogram of all durations; nil if they are not kept.
  public private(set) var histogram: DurationHistogram?

  /// Creates an empty distribution.
  ///
  /// - Parameters:
  ///   - longest: The longest duration to expect, in milliseconds. Longer ones are counted too, which may take more memory.
  ///   - hasHistogram: Whether the sum and the histogram are kept.
  public init(longest: Int64 = 2, hasHistogram: Bool = false) {
    cells = DurationBuckets(longestExpected: longest)
    histogram = hasHistogram ? DurationHistogram() : nil
  }

  /// The number of durations recorded.
  public var count: Int { exact.count + cells.count + sparse.count }

  /// Records a duration in milliseconds; a negative one counts as zero.
  public mutating func record(_ milliseconds: Int64) {
    withUnsafePointer(to: milliseconds) { record(UnsafeBufferPointer(start: $0, count: 1)) }
  }

  /// Records many durations in milliseconds; negative ones count as zero.
  public mutating func record(_ milliseconds: UnsafeBufferPointer<Int64>) {
    if histogram != nil { for duration in milliseconds { histogram?.record(duration) } }
    keep(milliseconds)
  }

  /// Records durations in what quantiles need.
  private mutating func keep(_ milliseconds: UnsafeBufferPointer<Int64>) {
    if isExact {
      for duration in milliseconds { exact.append(max(0, duration)) }
      if exact.count > Self.exactCountMax { moveIntoCells() }
      return
    }
    if !cells.hasRoom(for: milliseconds.count) { fill() }
    cells.add(milliseconds)
  }

  /// Adds the durations of another distribution.
  public mutating func merge(_ other: DurationDistribution) {
    if let more = other.histogram { histogram?.merge(more) }
    if other.isExact {
      other.exact.withUnsafeBufferPointer { keep($0) }
      return
    }
    moveIntoCells()
    if other.sparse.count > 0 { sparse.merge(other.sparse) }
    if !cells.hasRoom(for: other.cells.count) { fill() }
    cells.add(other.cells)
  }

  /// Records durations in what quantiles need, of which only the cells are known.
  mutating func record(_ counts: SparseDurationBuckets) {
    moveIntoCells()
    sparse.merge(counts)
  }

  /// Adds to the histogram, if it is kept, durations that are recorded in cells.
  mutating func addToHistogram(counts: [Int], sum: WideInteger) { histogram?.add(counts: counts, sum: sum) }

  private mutating func moveIntoCells() {
    guard isExact else { return }
    isExact = false
    exact.withUnsafeBufferPointer { cells.add($0) }
    exact = []
  }

  /// Starts a new histogram.
  private mutating func fill() {
    sparse.merge(SparseDurationBuckets(cells))
    cells.removeAll()
  }
}

extension DurationDistribution {
  /// The durations, in any order, as long as they are kept exactly.
  var exactDurations: [Int64]? { isExact ? exact : nil }

  /// The longest duration of the histogram.
  var longest: Int64 { max(cells.longest, sparse.longest) }

  /// The cells of the histogram that are not empty, ascending, with their counts.
  var countsByCell: [(cell: Int, count: Int)] {
    var counts = SparseDurationBuckets(cells)
    counts.merge(sparse)
    return counts.entries
  }

  /// The quantiles; nil if nothing was recorded.
  public var quantiles: Quantiles? {
    values(atPercents: [50, 90, 99]).map { Quantiles(p50: $0[0], p90: $0[1], p99: $0[2]) }
  }

  /// Returns quantiles by nearest rank, the ⌈p·n⌉-th smallest of n; nil if nothing was recorded.
  ///
  /// - Parameter percents: The ranks in percent, ascending.
  public func values(atPercents percents: [Int]) -> [Int64]? {
    guard count > 0 else { return nil }
    let ranks = percents.map { percent in
      let (whole, rest) = count.quotientAndRemainder(dividingBy: 100)
      return whole * percent + (rest * percent + 99) / 100
    }
    guard isExact else { return cells.values(atRanks: ranks, with: sparse) }
    let sorted = exact.sorted()
    return ranks.map { sorted[$0 - 1] }
  }
}
