/// A histogram with the buckets of ``DurationBuckets``, which stores only the buckets that are not empty, with 64-bit counts.
struct SparseDurationBuckets: Sendable {
  /// The buckets that are not empty, ascending by index, with their counts.
  private(set) var entries: [(bucket: Int, count: Int)] = []
  /// The number of durations.
  private(set) var count = 0
  /// The longest duration, in milliseconds.
  private(set) var longest: Int64

  /// Creates an empty histogram.
  ///
  /// - Parameter longest: The longest duration of the buckets that will be appended, in milliseconds.
  init(longest: Int64 = 0) {
    self.longest = longest
  }

  /// Creates a copy of a histogram.
  init(_ buckets: DurationBuckets) {
    entries = buckets.filled
    count = buckets.count
    longest = buckets.longest
  }

  /// The index of the last bucket, or 0 if the histogram is empty.
  var lastBucket: Int { entries.last?.bucket ?? 0 }

  /// Appends a bucket with `more` durations. Its index must be greater than all others.
  mutating func append(_ more: Int, inBucket bucket: Int) {
    precondition(entries.isEmpty || bucket > lastBucket, "cells are in order")
    entries.append((bucket, more))
    count += more
  }

  /// Adds the durations of another histogram.
  mutating func merge(_ other: SparseDurationBuckets) {
    var merged: [(bucket: Int, count: Int)] = []
    merged.reserveCapacity(entries.count + other.entries.count)
    var remaining = other.entries[...]
    for entry in entries {
      while let next = remaining.first, next.bucket < entry.bucket {
        merged.append(next)
        remaining.removeFirst()
      }
      if let next = remaining.first, next.bucket == entry.bucket {
        merged.append((entry.bucket, entry.count + next.count))
        remaining.removeFirst()
      } else {
        merged.append(entry)
      }
    }
    entries = merged + remaining
    count += other.count
    longest = max(longest, other.longest)
  }
}
