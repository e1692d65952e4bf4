import FunnelProjections

/// What is told of many durations: their number, mean, quantiles and histogram.
public struct TimeSummary: Hashable, Sendable {
  /// The ranks of the quantiles, in percent.
  static let percents = [10, 25, 50, 75, 90, 95, 99]

  public var count: Int
  /// The mean in milliseconds; nil if there is no duration.
  public var mean: Double?
  /// The quantiles of ``percents`` in milliseconds; nil if there is no duration.
  public var quantiles: [Int64]?
  public var bins: [TimeBin]

  init(_ distribution: DurationDistribution) {
    count = distribution.count
    mean = distribution.histogram?.mean
    quantiles = distribution.values(atPercents: Self.percents)
    bins = distribution.histogram.map(TimeBin.bins(of:)) ?? []
  }

  /// Returns a quantile in milliseconds.
  public func quantile(_ percent: Int) -> Int64? {
    guard let place = Self.percents.firstIndex(of: percent) else { preconditionFailure("only a few quantiles are told") }
    return quantiles?[place]
  }
}

/// A bin of a histogram: the durations from one edge to before another.
public struct TimeBin: Hashable, Sendable {
  /// The lower edge in milliseconds.
  public var from: Int64
  /// The upper edge in milliseconds, exclusive; nil if there is none.
  public var to: Int64?
  public var count: Int

  /// Returns the bins of a histogram, from the first to the last that is not empty.
  static func bins(of histogram: DurationHistogram) -> [TimeBin] {
    let edges = DurationHistogram.edges
    let filled = histogram.counts.indices.filter { histogram.counts[$0] > 0 }
    guard let first = filled.first, let last = filled.last else { return [] }
    return (first...last).map { bin in
      TimeBin(from: edges[bin], to: bin + 1 < edges.count ? edges[bin + 1] : nil, count: histogram.counts[bin])
    }
  }
}
