/// Buffers of durations that are recorded in batches, one buffer for each duration ID of a segment.
///
/// Only the first segments have buffers, to limit memory. Not thread-safe: each worker owns one.
// Histograms are large, and each group has durations for many of them. In batches, one histogram at a time is in the caches.
struct DurationBuffers: ~Copyable {
  /// The capacity of a buffer.
  private static let rowMax = 128
  /// The memory limit of all buffers.
  private static let bytesMax = 2 << 20

  /// The buffers of a segment. The ``DurationBuffers`` own the memory.
  struct Rows: BitwiseCopyable {
    /// The number of durations in each buffer.
    // Counts are stored apart from the durations, so they stay in the processor's first cache.
    fileprivate let counts: UnsafeMutablePointer<UInt32>
    /// The buffers one after the other, `rowMax` durations each.
    fileprivate let durations: UnsafeMutablePointer<Int64>

    /// Appends to the buffer of a duration. If it returns `true`, the buffer is full and must be drained before the next call.
    @inline(__always)
    func append(_ milliseconds: Int64, to duration: Int) -> Bool {
      let count = Int(counts[duration])
      assert(count < DurationBuffers.rowMax, "a full buffer is drained")
      durations[duration &* DurationBuffers.rowMax &+ count] = milliseconds
      counts[duration] = UInt32(truncatingIfNeeded: count &+ 1)
      return count == DurationBuffers.rowMax - 1
    }

    /// Records the durations of a buffer in an aggregate and empties the buffer.
    func drain(_ duration: Int, in segment: Int, into aggregate: inout Aggregate) {
      let row = UnsafeBufferPointer(start: durations + duration * DurationBuffers.rowMax, count: Int(counts[duration]))
      aggregate.record(row, of: duration, in: segment)
      counts[duration] = 0
    }
  }

  private let durationCount: Int
  private let segmentCountMax: Int
  /// The buffers of each segment, or `nil` if they are not allocated yet.
  private let segments: UnsafeMutablePointer<Rows?>
  /// The buffers of segment 0.
  let whole: Rows

  /// Creates empty buffers for `durationCount` duration IDs.
  init(durationCount: Int) {
    self.durationCount = durationCount
    segmentCountMax = max(1, Self.bytesMax / (max(1, durationCount) * Self.rowMax * MemoryLayout<Int64>.stride))
    segments = .allocate(capacity: segmentCountMax)
    segments.initialize(repeating: nil, count: segmentCountMax)
    whole = Self.makeRows(durationCount)
    segments[0] = whole
  }

  deinit {
    for segment in 0..<segmentCountMax {
      segments[segment]?.counts.deallocate()
      segments[segment]?.durations.deallocate()
    }
    segments.deallocate()
  }

  /// Allocates `durationCount` empty buffers.
  private static func makeRows(_ durationCount: Int) -> Rows {
    let count = max(1, durationCount)
    let rows = Rows(counts: .allocate(capacity: count), durations: .allocate(capacity: count * rowMax))
    rows.counts.initialize(repeating: 0, count: count)
    rows.durations.initialize(repeating: 0, count: count * rowMax)
    return rows
  }

  /// Returns the buffers of a segment, or `nil` if it is beyond the memory limit.
  @inline(__always)
  func rows(of segment: Int) -> Rows? {
    guard segment < segmentCountMax else { return nil }
    return segments[segment] ?? addRows(of: segment)
  }

  private func addRows(of segment: Int) -> Rows {
    let rows = Self.makeRows(durationCount)
    segments[segment] = rows
    return rows
  }

  /// Records the durations of all buffers in an aggregate and empties the buffers.
  func drain(into aggregate: inout Aggregate) {
    for segment in 0..<segmentCountMax {
      guard let rows = segments[segment] else { continue }
      for duration in 0..<durationCount where rows.counts[duration] > 0 { rows.drain(duration, in: segment, into: &aggregate) }
    }
  }
}
