import FunnelModel
import Histogram

/// Durations, reduced to what their quantiles need.
///
/// Up to 1024 durations are kept as they are. More go into a high dynamic range histogram of three significant digits (G. Tene,
/// HdrHistogram), whose quantiles are less than 0.1 % above the exact ones. Which of the two holds depends on the number of durations
/// alone, so the quantiles depend on the durations alone and not on the order in which they were recorded or merged.
public struct DurationDistribution: Sendable {
  /// Most durations kept one by one.
  static let exactCountMax = 1024

  /// The durations one by one, as long as they are few.
  private var exact: [Int64] = []
  /// The durations, once they are many; empty till then. Counts of 32 bits keep twice as much of a histogram within a processor's caches
  /// as wider ones.
  private var histogram: Histogram<UInt32>
  /// Histograms that hold as many durations as their counts are sure to count, or nearly.
  private var filled: [Histogram<UInt32>] = []
  private var isExact = true

  /// A distribution of nothing.
  ///
  /// - Parameter longest: The longest duration to expect, in milliseconds. Longer ones are counted too, but then the histogram grows, which
  ///   takes longer than anything else it does.
  public init(longest: Int64 = 2) {
    let longest = UInt64(min(max(2, longest), Limits.windowMillisecondsMax))
    histogram = Histogram(highestTrackableValue: longest, numberOfSignificantValueDigits: .three)
    histogram.autoResize = true
  }

  /// The number of durations recorded.
  public var count: Int {
    filled.reduce(exact.count + Int(histogram.totalCount)) { $0 + Int($1.totalCount) }
  }

  /// Records a duration in milliseconds; a negative one counts as zero.
  public mutating func record(_ milliseconds: Int64) {
    withUnsafePointer(to: milliseconds) { record(UnsafeBufferPointer(start: $0, count: 1)) }
  }

  /// Records many durations in milliseconds; negative ones count as zero.
  public mutating func record(_ milliseconds: UnsafeBufferPointer<Int64>) {
    if isExact {
      for duration in milliseconds { exact.append(max(0, duration)) }
      if exact.count > Self.exactCountMax { moveIntoHistogram() }
      return
    }
    if !hasRoom(for: milliseconds.count) {
      filled.append(histogram)
      histogram.reset()
    }
    for duration in milliseconds { histogram.record(UInt64(max(0, duration))) }
  }

  /// Whether it still keeps every duration as it is.
  var keepsEach: Bool { isExact }

  /// Takes over the durations of cells.
  ///
  /// - Precondition: It does not keep every duration as it is any more.
  package mutating func record(_ cells: inout DurationCells) {
    precondition(!isExact, "cells don't know durations as they are")
    if !hasRoom(for: cells.count) {
      filled.append(histogram)
      histogram.reset()
    }
    // No durations of this length: only that there was one so long.
    histogram.record(UInt64(cells.longestCounted), count: 0)
    cells.removeAll { histogram.record(UInt64($0), count: $1) }
  }

  /// Adds the durations of another distribution.
  public mutating func merge(_ other: DurationDistribution) {
    if other.isExact {
      other.exact.withUnsafeBufferPointer { record($0) }
      return
    }
    moveIntoHistogram()
    filled += other.filled
    if hasRoom(for: Int(other.histogram.totalCount)) {
      histogram.add(other.histogram)
    } else {
      filled.append(other.histogram)
    }
  }

  private func hasRoom(for count: Int) -> Bool {
    Int(histogram.totalCount) + count <= Int(UInt32.max)
  }

  private mutating func moveIntoHistogram() {
    guard isExact else { return }
    isExact = false
    for milliseconds in exact { histogram.record(UInt64(milliseconds)) }
    exact = []
  }
}

extension DurationDistribution {
  /// The quantiles by nearest rank, the ⌈p·n⌉-th smallest of n; nil where nothing was recorded.
  public var quantiles: Quantiles? {
    guard count > 0 else { return nil }
    guard isExact else { return filled.isEmpty ? Self.quantiles(of: histogram) : Self.quantiles(of: whole) }
    let sorted = exact.sorted()
    func value(atPercent percent: Int) -> Int64 { sorted[(sorted.count * percent + 99) / 100 - 1] }
    return Quantiles(p50: value(atPercent: 50), p90: value(atPercent: 90), p99: value(atPercent: 99))
  }

  private static func quantiles<Count>(of histogram: Histogram<Count>) -> Quantiles {
    Quantiles(
      p50: Int64(clamping: histogram.valueAtPercentile(50)),
      p90: Int64(clamping: histogram.valueAtPercentile(90)),
      p99: Int64(clamping: histogram.valueAtPercentile(99)))
  }

  /// All durations in one histogram, with counts wide enough for them.
  private var whole: Histogram<UInt64> {
    var whole = Histogram<UInt64>(highestTrackableValue: 2, numberOfSignificantValueDigits: .three)
    whole.autoResize = true
    for part in filled + [histogram] where part.totalCount > 0 {
      // Cell by cell; the histogram's own iterators add up durations, which may overflow.
      var value: UInt64 = 0
      while value <= part.max {
        let count = part.countForValue(value)
        if count > 0 { whole.record(value, count: UInt64(count)) }
        value = part.nextNonEquivalentForValue(value)
      }
    }
    return whole
  }
}
