import FunnelModel

/// Durations counted in the cells of a high dynamic range histogram.
///
/// The cells and the quantiles are those of an HdrHistogram of three significant digits, against which the tests compare them. But
/// HdrHistogram updates its state for every duration, and scans all cells for every quantile, which took a third of the time of a warm
/// report by a dimension with many values. Here recording a duration is one addition, and all other state is updated once per batch.
struct DurationBuckets: Sendable {
  /// Durations below 2¹¹ have cells of their own; longer ones share a cell if their first eleven binary digits are equal.
  private static let digits = 11

  /// The counts. With 32 bits, twice as much of a histogram fits into a processor's caches as with 64. Empty until there is a duration.
  private var counts: [UInt32] = []
  private let longestExpected: Int64
  /// The number of durations.
  private(set) var count = 0
  /// The longest duration, in milliseconds.
  private(set) var longest: Int64 = 0

  /// - Parameter longestExpected: The longest duration to expect, in milliseconds; longer ones make the cells grow.
  init(longestExpected: Int64) {
    self.longestExpected = min(max(0, longestExpected), Limits.windowMillisecondsMax)
  }

  /// Returns whether this many more durations can be counted without overflow.
  func hasRoom(for more: Int) -> Bool { more <= room }

  /// Adds durations in milliseconds, for which there must be room; negative ones count as zero.
  mutating func add(_ durations: UnsafeBufferPointer<Int64>) {
    var longest = longest
    for duration in durations { longest = max(longest, duration) }
    grow(for: longest)
    counts.withUnsafeMutableBufferPointer { counts in
      let base = counts.baseAddress!
      for duration in durations { base[Self.cell(of: max(0, duration))] &+= 1 }
    }
    count += durations.count
    self.longest = longest
  }

  /// Adds the durations of another histogram, for which there must be room.
  mutating func add(_ other: DurationBuckets) {
    grow(for: other.longest)
    for (cell, count) in other.counts.enumerated() { counts[cell] += count }
    count += other.count
    longest = max(longest, other.longest)
  }

  /// The number of durations that can still be counted.
  var room: Int { Int(UInt32.max) - count }

  /// The numbers of the cells that are not empty, ascending, with their counts.
  var filledCells: [(cell: Int, count: Int)] {
    counts.enumerated().filter { $0.element > 0 }.map { (cell: $0.offset, count: Int($0.element)) }
  }

  /// Returns the durations at ascending ranks, from 1, among these and others. The duration of a cell is the longest that belongs to it, but
  /// not longer than the longest that was counted.
  func values(atRanks ranks: [Int], with others: SparseDurationBuckets) -> [Int64] {
    let longest = max(longest, others.longest)
    var values: [Int64] = []
    var passed = 0
    var rest = others.entries[...]
    for cell in 0..<max(counts.count, others.lastCell + 1) {
      if cell < counts.count { passed += Int(counts[cell]) }
      if let next = rest.first, next.cell == cell {
        passed += next.count
        rest.removeFirst()
      }
      while values.count < ranks.count, passed >= ranks[values.count] {
        values.append(min(Self.longest(ofCell: cell), longest))
      }
      if values.count == ranks.count { break }
    }
    return values
  }

  /// Removes all durations.
  mutating func removeAll() {
    counts.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    (count, longest) = (0, 0)
  }

  private mutating func grow(for duration: Int64) {
    let needed = Self.cell(of: max(duration, longestExpected)) + 1
    if counts.count < needed { counts += repeatElement(0, count: needed - counts.count) }
  }

  /// Returns the number of the cell that a duration belongs to.
  @inline(__always)
  static func cell(of duration: Int64) -> Int {
    let shift = max(0, 64 - duration.leadingZeroBitCount - digits)
    return shift << (digits - 1) + Int(truncatingIfNeeded: duration >> Int64(truncatingIfNeeded: shift))
  }

  private static func longest(ofCell cell: Int) -> Int64 {
    let half = 1 << (digits - 1)
    let shift = max(0, cell / half - 1)
    return Int64(cell - shift * half) << Int64(shift) | (1 << Int64(shift) - 1)
  }
}
