import FunnelProjections

/// Statistics of durations: their count, mean, quantiles and histogram.
package struct TimeSummary: Hashable, Sendable {
  /// The reported quantiles, in percent.
  static let percents = [10, 25, 50, 75, 90, 95, 99]

  package var count: Int
  /// The mean in milliseconds, or `nil` if there are no durations.
  package var mean: Double?
  /// The quantiles of ``percents`` in milliseconds, or `nil` if there are no durations.
  package var quantiles: [Int64]?
  package var bins: [TimeBin]

  init(_ distribution: DurationDistribution) {
    count = distribution.count
    mean = distribution.histogram?.mean
    quantiles = distribution.values(atPercents: Self.percents)
    bins = distribution.histogram.map(TimeBin.bins(of:)) ?? []
    assert(quantiles.map { $0 == $0.sorted() } ?? true, "larger quantiles are longer durations")
  }

  /// Returns a quantile in milliseconds, or `nil` if there are no durations. The percentage must be one of
  /// ``percents``.
  package func quantile(_ percent: Int) -> Int64? {
    guard let index = Self.percents.firstIndex(of: percent) else { preconditionFailure("only a few quantiles are told") }
    return quantiles?[index]
  }
}

/// A bin of a histogram: the durations from a lower edge up to, but not including, an upper edge.
package struct TimeBin: Hashable, Sendable {
  /// The lower edge in milliseconds.
  package var from: Int64
  /// The exclusive upper edge in milliseconds, or `nil` for the last bin, which has none.
  package var to: Int64?
  package var count: Int

  /// All bins, with counts of 0.
  static let all: [TimeBin] = {
    let edges = DurationHistogram.edges
    return edges.indices.map { TimeBin(from: edges[$0], to: $0 + 1 < edges.count ? edges[$0 + 1] : nil, count: 0) }
  }()

  /// Returns the bins of a histogram from the first to the last nonempty one.
  static func bins(of histogram: DurationHistogram) -> [TimeBin] {
    let filled = histogram.counts.indices.filter { histogram.counts[$0] > 0 }
    guard let first = filled.first, let last = filled.last else { return [] }
    return (first...last).map { TimeBin(from: all[$0].from, to: all[$0].to, count: histogram.counts[$0]) }
  }
}
