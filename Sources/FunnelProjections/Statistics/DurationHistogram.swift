public import FunnelModel

/// The exact sum of durations, and their exact number in each of a few bins that people know: seconds, minutes, hours, days.
public struct DurationHistogram: Hashable, Sendable {
  /// The lower edges of the bins in milliseconds, ascending; a bin reaches to the next edge, the last has no end.
  public static let edges: [Int64] = {
    let (second, minute, hour, day): (Int64, Int64, Int64, Int64) = (1000, 60_000, 3_600_000, 86_400_000)
    return [0] + [1, 2, 5, 10, 20, 30].map { $0 * second } + [1, 2, 5, 10, 20, 30].map { $0 * minute }
      + [1, 2, 6, 12].map { $0 * hour } + [1, 2, 3, 7, 14, 30].map { $0 * day }
  }()

  /// The number of durations in each bin.
  public private(set) var counts = Array(repeating: 0, count: edges.count)
  /// The sum of all durations in milliseconds. Ten thousand million durations of ten years are more than 64 bits hold.
  public private(set) var sum = WideInteger.zero

  /// The mean in milliseconds; nil if there is no duration.
  public var mean: Double? {
    let count = counts.reduce(0, +)
    return count > 0 ? Double(sum) / Double(count) : nil
  }

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

  mutating func merge(_ other: DurationHistogram) {
    for bin in counts.indices { counts[bin] += other.counts[bin] }
    sum += other.sum
  }

  /// Adds durations of which only the number in each bin and the sum are known.
  mutating func add(counts more: [Int], sum moreSum: WideInteger) {
    precondition(more.count == counts.count, "the bins are the same")
    for bin in counts.indices { counts[bin] += more[bin] }
    sum += moreSum
  }
}
