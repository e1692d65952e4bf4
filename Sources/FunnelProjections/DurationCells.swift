import FunnelModel

/// Durations counted in the cells of a high dynamic range histogram, before they go into one.
///
/// A ``DurationDistribution`` asks at every duration whether anybody else holds its counts, whether there is room, what the smallest and
/// the largest is. Here a duration is one addition; what many thousands of them amount to goes into the distribution at once.
package struct DurationCells: ~Copyable {
  /// Durations below are cells of their own; the others share one where their first eleven binary digits agree: three significant digits.
  private static let exactDigits = 11
  private static let exactLimit = 1 << exactDigits

  /// The longest duration there is a cell for, in milliseconds.
  package let longest: Int64
  private let counts: UnsafeMutablePointer<UInt32>
  private let cellCount: Int
  package private(set) var count = 0
  package private(set) var longestCounted: Int64 = 0

  package init(longest: Int64) {
    self.longest = min(max(0, longest), Limits.windowMillisecondsMax)
    cellCount = Self.cell(of: self.longest) + 1
    counts = .allocate(capacity: cellCount)
    counts.initialize(repeating: 0, count: cellCount)
  }

  deinit { counts.deallocate() }

  /// Counts durations, none of them longer than ``longest``; negative ones as zero.
  ///
  /// - Returns: false where one is longer; none is counted then. Nor is any where the counts might overflow: ``removeAll(_:)`` comes first.
  package mutating func add(_ durations: UnsafeBufferPointer<Int64>) -> Bool {
    var longestHere: Int64 = 0
    for duration in durations { longestHere = max(longestHere, duration) }
    guard longestHere <= longest, count + durations.count <= Int(UInt32.max) else { return false }
    for duration in durations { counts[Self.cell(of: max(0, duration))] &+= 1 }
    count += durations.count
    longestCounted = max(longestCounted, longestHere)
    return true
  }

  /// Hands on each cell's shortest duration and its count, and forgets them.
  package mutating func removeAll(_ body: (_ milliseconds: Int64, _ count: UInt32) -> Void) {
    for cell in 0..<cellCount where counts[cell] > 0 {
      body(Self.shortest(ofCell: cell), counts[cell])
      counts[cell] = 0
    }
    (count, longestCounted) = (0, 0)
  }

  @inline(__always)
  private static func cell(of duration: Int64) -> Int {
    let shift = max(0, 64 - duration.leadingZeroBitCount - exactDigits)
    return shift << (exactDigits - 1) + Int(truncatingIfNeeded: duration >> Int64(truncatingIfNeeded: shift))
  }

  private static func shortest(ofCell cell: Int) -> Int64 {
    let half = exactLimit / 2
    let shift = max(0, cell / half - 1)
    return Int64(cell - shift * half) << Int64(shift)
  }
}
