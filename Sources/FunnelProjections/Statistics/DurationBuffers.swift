/// Buffers for durations: one row for each duration of a segment, drained into a tally when it is full.
///
/// Histograms are large, and each group has durations for many of them. Buffered durations reach each histogram in batches, so the fold
/// itself works in a small part of memory. Only a limited number of segments, the first ones, have rows.
struct DurationBuffers: ~Copyable {
  /// The number of durations of a full row.
  private static let rowMax = 128
  private static let bytesMax = 2 << 20

  /// The rows of a segment.
  struct Rows: BitwiseCopyable {
    /// The number of durations in each row. They are apart from the rows, so that they stay in the processor's first cache.
    fileprivate let counts: UnsafeMutablePointer<UInt32>
    fileprivate let durations: UnsafeMutablePointer<Int64>

    /// Appends a duration to a row.
    ///
    /// - Returns: Whether the row is full.
    @inline(__always)
    func append(_ milliseconds: Int64, to duration: Int) -> Bool {
      let count = Int(counts[duration])
      durations[duration &* DurationBuffers.rowMax &+ count] = milliseconds
      counts[duration] = UInt32(truncatingIfNeeded: count &+ 1)
      return count == DurationBuffers.rowMax - 1
    }

    /// Moves the durations of a row into a tally.
    func drain(_ duration: Int, in segment: Int, into aggregate: inout Aggregate) {
      let row = UnsafeBufferPointer(start: durations + duration * DurationBuffers.rowMax, count: Int(counts[duration]))
      aggregate.record(row, of: duration, in: segment)
      counts[duration] = 0
    }
  }

  private let durationCount: Int
  private let segmentCountMax: Int
  /// The rows of each segment; nil if it has none yet.
  private let segments: UnsafeMutablePointer<Rows?>
  /// The rows of segment 0.
  let whole: Rows

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

  private static func makeRows(_ count: Int) -> Rows {
    let rows = Rows(counts: .allocate(capacity: max(1, count)), durations: .allocate(capacity: max(1, count) * rowMax))
    rows.counts.initialize(repeating: 0, count: max(1, count))
    rows.durations.initialize(repeating: 0, count: max(1, count) * rowMax)
    return rows
  }

  /// Returns the rows of a segment, or nil if it has none.
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

  /// Moves the durations of all rows into a tally.
  func drain(into aggregate: inout Aggregate) {
    for segment in 0..<segmentCountMax {
      guard let rows = segments[segment] else { continue }
      for duration in 0..<durationCount where rows.counts[duration] > 0 { rows.drain(duration, in: segment, into: &aggregate) }
    }
  }
}
