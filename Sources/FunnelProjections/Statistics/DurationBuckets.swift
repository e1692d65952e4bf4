import FunnelModel

/// A histogram of durations with 32-bit counts and a relative error of less than 0.1 %.
///
/// The buckets and quantiles are those of an HdrHistogram of three significant digits.
// HdrHistogram updates several fields for every duration and scans all buckets for every quantile. That took a third
// of the time of a report by a dimension with many values. Here recording a duration is one addition, and all other
// fields are updated once per batch.
struct DurationBuckets: Sendable {
  /// The number of significant binary digits.
  // Durations below 2¹¹ have buckets of their own. Longer ones share a bucket if their first eleven binary digits are equal.
  private static let digits = 11

  /// The count of each bucket, up to that of the longest duration; empty until a duration is added.
  // With 32 bits, twice as many counts fit into the caches as with 64.
  private var counts: [UInt32] = []
  private let longestExpected: Int64
  /// The number of durations.
  private(set) var count = 0
  /// The longest duration, in milliseconds.
  private(set) var longest: Int64 = 0

  /// Creates an empty histogram.
  ///
  /// - Parameter longestExpected: The longest duration to expect, in milliseconds. Longer durations take more memory.
  init(longestExpected: Int64) {
    self.longestExpected = min(max(0, longestExpected), Limits.windowMillisecondsMax)
  }

  /// Returns whether `more` durations can be added without overflow.
  func hasRoom(for more: Int) -> Bool { more <= room }

  /// Adds durations in milliseconds, for which there must be room. A negative duration is recorded as 0.
  mutating func add(_ durations: Span<Int64>) {
    assert(hasRoom(for: durations.count), "counts have 32 bits")
    for index in durations.indices { longest = max(longest, durations[index]) }
    grow(for: longest)
    var counts = counts.mutableSpan
    for index in durations.indices { counts[Self.bucket(of: max(0, durations[index]))] &+= 1 }
    count += durations.count
  }

  /// Adds a duration in milliseconds, for which there must be room. A negative duration is recorded as 0.
  mutating func add(_ duration: Int64) {
    assert(hasRoom(for: 1), "counts have 32 bits")
    longest = max(longest, duration)
    grow(for: longest)
    counts[Self.bucket(of: max(0, duration))] &+= 1
    count += 1
  }

  /// Adds the durations of another histogram, for which there must be room.
  mutating func add(_ other: DurationBuckets) {
    grow(for: other.longest)
    for (bucket, count) in other.counts.enumerated() { counts[bucket] += count }
    count += other.count
    longest = max(longest, other.longest)
  }

  /// The number of durations that can be added without overflow.
  var room: Int { Int(UInt32.max) - count }

  /// The buckets that are not empty, ascending by index, with their counts.
  var filled: [(bucket: Int, count: Int)] {
    counts.enumerated().filter { $0.element > 0 }.map { (bucket: $0.offset, count: Int($0.element)) }
  }

  /// Returns the durations at some ranks among these and other durations.
  ///
  /// A duration is rounded up to the longest of its bucket, but not above the longest duration that was added.
  ///
  /// - Parameter ranks: The ranks, ascending, from 1 to the number of all durations.
  func values(atRanks ranks: [Int], with others: SparseDurationBuckets) -> [Int64] {
    let longest = max(longest, others.longest)
    var values: [Int64] = []
    var cumulativeCount = 0
    var remaining = others.entries[...]
    for bucket in 0..<max(counts.count, others.lastBucket + 1) {
      if bucket < counts.count { cumulativeCount += Int(counts[bucket]) }
      if let next = remaining.first, next.bucket == bucket {
        cumulativeCount += next.count
        remaining.removeFirst()
      }
      while values.count < ranks.count, cumulativeCount >= ranks[values.count] {
        values.append(min(Self.longest(ofBucket: bucket), longest))
      }
      if values.count == ranks.count { break }
    }
    return values
  }

  /// Removes all durations, but keeps the memory.
  mutating func removeAll() {
    for bucket in counts.indices { counts[bucket] = 0 }
    count = 0
    longest = 0
  }

  /// Adds the buckets up to that of a duration.
  private mutating func grow(for duration: Int64) {
    let needed = Self.bucket(of: max(duration, longestExpected)) + 1
    if counts.count < needed { counts += repeatElement(0, count: needed - counts.count) }
  }

  /// Returns the index of the bucket of a duration, which must not be negative.
  @inline(__always)
  static func bucket(of duration: Int64) -> Int {
    assert(duration >= 0, "a duration is not negative")
    let shift = max(0, Int64.bitWidth - duration.leadingZeroBitCount - digits)
    return (shift << (digits - 1)) + Int(truncatingIfNeeded: duration >> Int64(truncatingIfNeeded: shift))
  }

  /// Returns the longest duration of a bucket, in milliseconds.
  private static func longest(ofBucket bucket: Int) -> Int64 {
    let half = 1 << (digits - 1)
    let shift = max(0, bucket / half - 1)
    return (Int64(bucket - shift * half) << Int64(shift)) | ((1 << Int64(shift)) - 1)
  }
}
