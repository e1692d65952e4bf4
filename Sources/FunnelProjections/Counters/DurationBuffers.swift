/// Buffers of durations that are recorded in batches, one buffer for each duration ID of a segment.
///
/// Only the first segments have buffers, to limit memory. Not thread-safe: each worker owns one.
// Histograms are large, and each group has durations for many of them. In batches, one histogram at a time is in the caches.
struct DurationBuffers {
  /// The capacity of a buffer.
  private static let capacity = 128
  /// The memory limit of all buffers.
  private static let bytesMax = 2 << 20

  private let durationCount: Int
  private let segmentCountMax: Int
  /// The buffers one after the other, those of a segment adjacent, ``capacity`` durations each, in milliseconds.
  private var durations: [Int64] = []
  /// The number of durations in each buffer, less than ``capacity``.
  // Counts are stored apart from the durations, so they stay in the processor's first cache.
  private var counts: [UInt8] = []

  /// Creates empty buffers for `durationCount` duration IDs.
  init(durationCount: Int) {
    self.durationCount = durationCount
    segmentCountMax = max(1, Self.bytesMax / (max(1, durationCount) * Self.capacity * MemoryLayout<Int64>.stride))
    addSegments(upTo: 0)
  }

  /// Adds empty buffers up to those of a segment.
  @inline(never)
  private mutating func addSegments(upTo segment: Int) {
    let bufferCount = (segment + 1) * durationCount
    durations += repeatElement(0, count: bufferCount * Self.capacity - durations.count)
    counts += repeatElement(0, count: bufferCount - counts.count)
  }

  /// Records a duration, now or in a later batch.
  @inline(__always)
  mutating func record(_ milliseconds: Int64, of duration: Int, in segment: Int, into aggregate: inout Aggregate) {
    guard segment < segmentCountMax else { return aggregate.record(milliseconds, of: duration, in: segment) }
    let buffer = segment &* durationCount &+ duration
    if buffer >= counts.count { addSegments(upTo: segment) }
    let count = Int(counts[buffer])
    durations[buffer &* Self.capacity &+ count] = milliseconds
    counts[buffer] = UInt8(truncatingIfNeeded: count &+ 1)
    if count == Self.capacity - 1 { drain(buffer, into: &aggregate) }
  }

  /// Records intervals of a group in the segment without values, now or in a later batch.
  ///
  /// - Parameter times: The times of the group's events, in milliseconds since the epoch.
  @inline(__always)
  mutating func record(
    _ intervals: Span<ContributionCache.ShortInterval>, times: Span<Int64>, into aggregate: inout Aggregate
  ) {
    for index in intervals.indices {
      let interval = intervals[unchecked: index]
      record(
        times[Int(interval.to)] &- times[Int(interval.from)], of: Int(interval.duration), in: 0, into: &aggregate)
    }
  }

  /// Records the durations of a buffer in an aggregate and empties the buffer.
  @inline(never)
  private mutating func drain(_ buffer: Int, into aggregate: inout Aggregate) {
    let start = buffer * Self.capacity
    aggregate.record(
      durations.span.extracting(start..<start + Int(counts[buffer])), of: buffer % durationCount,
      in: buffer / durationCount)
    counts[buffer] = 0
  }

  /// Records the durations of all buffers in an aggregate and empties the buffers.
  mutating func drain(into aggregate: inout Aggregate) {
    for buffer in counts.indices where counts[buffer] > 0 { drain(buffer, into: &aggregate) }
  }
}
