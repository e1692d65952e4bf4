package import FunnelModel

/// A histogram of durations for display, with the exact sum. Its bins have round edges in seconds, minutes, hours and days.
package struct DurationHistogram: Hashable, Sendable {
  /// The lower edge of each bin in milliseconds, ascending. A bin ends before the next edge; the last bin has no end.
  package static let edges: [Int64] = {
    let second: Int64 = 1000
    let minute = 60 * second
    let hour = 60 * minute
    let day = 24 * hour
    return [0] + [1, 2, 5, 10, 20, 30].map { $0 * second } + [1, 2, 5, 10, 20, 30].map { $0 * minute }
      + [1, 2, 6, 12].map { $0 * hour } + [1, 2, 3, 7, 14, 30].map { $0 * day }
  }()

  /// The number of durations in each bin.
  package private(set) var counts = Array(repeating: 0, count: edges.count)
  /// The sum of all durations in milliseconds.
  // Ten billion durations of ten years exceed 64 bits.
  package private(set) var sum = WideInteger.zero

  /// The mean in milliseconds, or `nil` if there are no durations.
  package var mean: Double? {
    let count = counts.reduce(0, +)
    return count > 0 ? Double(sum) / Double(count) : nil
  }

  /// Records a duration in milliseconds. A negative duration is recorded as 0.
  mutating func record(_ milliseconds: Int64) {
    let duration = max(0, milliseconds)
    var low = 0
    var high = Self.edges.count
    while low + 1 < high {
      let middle = (low + high) / 2
      if Self.edges[middle] <= duration { low = middle } else { high = middle }
    }
    counts[low] += 1
    sum += WideInteger(Int(duration))
  }

  /// Adds the durations of another histogram.
  mutating func merge(_ other: DurationHistogram) {
    for bin in counts.indices { counts[bin] += other.counts[bin] }
    sum += other.sum
  }

  /// Adds durations given by the count of each bin and the sum.
  mutating func add(counts more: [Int], sum moreSum: WideInteger) {
    precondition(more.count == counts.count, "the bins are the same")
    for bin in counts.indices { counts[bin] += more[bin] }
    sum += moreSum
  }
}
