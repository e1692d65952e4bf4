/// Buffers for durations: one row for each duration of a segment, drained into a tally when it is full.
///
/// Histograms are large, and each group has durations for many of them. Buffered durations reach each histogram in batches, so the fold
/// itself works in a small part of memory. Only a limited number of segments, the first ones, have rows.
struct DurationBuffers: ~Copyable {
  /// The number of words of a row: the number of durations in it, followed by the durations.
  static let rowWords = 128
  private static let bytesMax = 2 << 20

  private let durationCount: Int
  private let segmentCountMax: Int
  /// The rows of each segment; nil if it has none yet.
  private let segments: UnsafeMutablePointer<UnsafeMutablePointer<Int64>?>
  /// The rows of segment 0.
  let whole: UnsafeMutablePointer<Int64>

  init(durationCount: Int) {
    self.durationCount = durationCount
    segmentCountMax = max(1, Self.bytesMax / (max(1, durationCount) * Self.rowWords * MemoryLayout<Int64>.stride))
    segments = .allocate(capacity: segmentCountMax)
    segments.initialize(repeating: nil, count: segmentCountMax)
    whole = Self.makeRows(durationCount)
    segments[0] = whole
  }

  deinit {
    for segment in 0..<segmentCountMax { segments[segment]?.deallocate() }
    segments.deallocate()
  }

  private static func makeRows(_ count: Int) -> UnsafeMutablePointer<Int64> {
    let rows = UnsafeMutablePointer<Int64>.allocate(capacity: max(1, count) * rowWords)
    rows.initialize(repeating: 0, count: max(1, count) * rowWords)
    return rows
  }

  /// Returns the row of a duration, or nil if its segment has none.
  @inline(__always)
  func row(of duration: Int, in segment: Int) -> UnsafeMutablePointer<Int64>? {
    guard segment < segmentCountMax else { return nil }
    let rows = segments[segment] ?? addRows(of: segment)
    return rows + duration * Self.rowWords
  }

  private func addRows(of segment: Int) -> UnsafeMutablePointer<Int64> {
    let rows = Self.makeRows(durationCount)
    segments[segment] = rows
    return rows
  }

  /// Appends a duration to a row.
  ///
  /// - Returns: Whether the row is full.
  @inline(__always)
  static func append(_ milliseconds: Int64, to row: UnsafeMutablePointer<Int64>) -> Bool {
    let count = Int(row[0]) &+ 1
    row[count] = milliseconds
    row[0] = Int64(count)
    return count == rowWords - 1
  }

  /// Moves the durations of a row into a tally.
  static func drain(_ row: UnsafeMutablePointer<Int64>, of duration: Int, in segment: Int, into tally: inout Tally) {
    tally.record(UnsafeBufferPointer(start: row + 1, count: Int(row[0])), of: duration, in: segment)
    row[0] = 0
  }

  /// Moves the durations of all rows into a tally.
  func drain(into tally: inout Tally) {
    for segment in 0..<segmentCountMax {
      guard let rows = segments[segment] else { continue }
      for duration in 0..<durationCount where rows[duration * Self.rowWords] > 0 {
        Self.drain(rows + duration * Self.rowWords, of: duration, in: segment, into: &tally)
      }
    }
  }
}
