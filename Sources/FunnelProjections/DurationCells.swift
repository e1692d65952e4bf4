import FunnelModel

/// Durations counted in the cells of a high dynamic range histogram.
///
/// The cells are those of an HdrHistogram of three significant digits, which is asked for the quantiles in the end. But that looks at its
/// own state at every duration it records; here a duration is one addition, and what is looked at is looked at once for a batch.
struct DurationCells: Sendable {
  /// Durations below 2¹¹ have cells of their own, the others share one where their first eleven binary digits agree.
  private static let digits = 11

  /// Counts of 32 bits keep twice as much of a histogram within a processor's caches as wider ones. Empty until there is a duration.
  private var counts: [UInt32] = []
  private let longestExpected: Int64
  /// The number of durations.
  private(set) var count = 0
  /// The longest duration, in milliseconds.
  private(set) var longest: Int64 = 0

  /// - Parameter longestExpected: The longest duration to expect, in milliseconds; for a longer one the cells grow.
  init(longestExpected: Int64) {
    self.longestExpected = min(max(0, longestExpected), Limits.windowMillisecondsMax)
  }

  /// Whether so many durations more are sure to be counted right.
  func hasRoom(for more: Int) -> Bool { count + more <= Int(UInt32.max) }

  /// Counts durations in milliseconds, for which there is room; negative ones as zero.
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

  /// Adds the durations of others, for which there is room.
  mutating func add(_ other: DurationCells) {
    grow(for: other.longest)
    for (cell, count) in other.counts.enumerated() { counts[cell] += count }
    count += other.count
    longest = max(longest, other.longest)
  }

  /// Hands on each cell's shortest duration and its count.
  func forEach(_ body: (_ milliseconds: Int64, _ count: UInt32) -> Void) {
    for (cell, count) in counts.enumerated() where count > 0 { body(Self.shortest(ofCell: cell), count) }
  }

  /// Forgets all durations.
  mutating func removeAll() {
    counts.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    (count, longest) = (0, 0)
  }

  private mutating func grow(for duration: Int64) {
    let needed = Self.cell(of: max(duration, longestExpected)) + 1
    if counts.count < needed { counts += repeatElement(0, count: needed - counts.count) }
  }

  @inline(__always)
  private static func cell(of duration: Int64) -> Int {
    let shift = max(0, 64 - duration.leadingZeroBitCount - digits)
    return shift << (digits - 1) + Int(truncatingIfNeeded: duration >> Int64(truncatingIfNeeded: shift))
  }

  private static func shortest(ofCell cell: Int) -> Int64 {
    let half = 1 << (digits - 1)
    let shift = max(0, cell / half - 1)
    return Int64(cell - shift * half) << Int64(shift)
  }
}
