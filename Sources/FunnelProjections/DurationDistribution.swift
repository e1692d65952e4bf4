import Histogram

/// Durations, reduced to what their quantiles need.
///
/// Up to 1024 durations are kept as they are. More go into a high dynamic range histogram of three significant digits (G. Tene,
/// HdrHistogram), whose quantiles are less than 0.1 % above the exact ones. Which of the two holds depends on the number of durations
/// alone, so the quantiles depend on the durations alone and not on the order in which they were recorded or merged.
public struct DurationDistribution: Sendable {
  /// Most durations kept one by one.
  static let exactCountMax = 1024

  private var exact: [Int64] = []
  private var histogram: Histogram<UInt32>?

  /// A distribution of nothing.
  public init() {}

  /// The number of durations recorded.
  public var count: Int {
    histogram.map { Int($0.totalCount) } ?? exact.count
  }

  /// Records a duration in milliseconds; a negative one counts as zero.
  public mutating func record(_ milliseconds: Int64) {
    let duration = max(0, milliseconds)
    if histogram?.record(UInt64(duration)) != nil { return }
    exact.append(duration)
    if exact.count > Self.exactCountMax { moveIntoHistogram() }
  }

  /// Records many durations in milliseconds; negative ones count as zero.
  public mutating func record(_ milliseconds: UnsafeBufferPointer<Int64>) {
    guard var histogram else {
      for duration in milliseconds { exact.append(max(0, duration)) }
      if exact.count > Self.exactCountMax { moveIntoHistogram() }
      return
    }
    self.histogram = nil
    for duration in milliseconds { histogram.record(UInt64(max(0, duration))) }
    self.histogram = histogram
  }

  /// Adds the durations of another distribution.
  public mutating func merge(_ other: DurationDistribution) {
    if let theirs = other.histogram {
      moveIntoHistogram()
      histogram?.add(theirs)
    } else {
      other.exact.withUnsafeBufferPointer { record($0) }
    }
  }

  /// The quantiles by nearest rank, the ⌈p·n⌉-th smallest of n; nil where nothing was recorded.
  public var quantiles: Quantiles? {
    guard count > 0 else { return nil }
    if let histogram {
      return Quantiles(
        p50: Int64(clamping: histogram.valueAtPercentile(50)),
        p90: Int64(clamping: histogram.valueAtPercentile(90)),
        p99: Int64(clamping: histogram.valueAtPercentile(99)))
    }
    let sorted = exact.sorted()
    func value(atPercent percent: Int) -> Int64 { sorted[(sorted.count * percent + 99) / 100 - 1] }
    return Quantiles(p50: value(atPercent: 50), p90: value(atPercent: 90), p99: value(atPercent: 99))
  }

  private mutating func moveIntoHistogram() {
    guard histogram == nil else { return }
    // Made for the longest duration so far it hardly ever has to grow, which would copy it.
    let longest = UInt64(max(2, exact.max() ?? 0))
    var histogram = Histogram<UInt32>(highestTrackableValue: longest, numberOfSignificantValueDigits: .three)
    histogram.autoResize = true
    for milliseconds in exact { histogram.record(UInt64(milliseconds)) }
    self.histogram = histogram
    exact = []
  }
}
