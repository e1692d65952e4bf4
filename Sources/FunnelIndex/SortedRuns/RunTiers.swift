internal import FunnelModel

/// The policy that decides which sorted runs are merged, similar to the tiers of a log-structured merge tree.
///
/// - At the end of an ingest, a run is merged with all later runs unless it is at least four times as large as
///   all of them together.
/// - A run above ``settledBytes`` is settled. Settled runs are merged into a large run if there are more than
///   ``settledMax``.
/// - Large runs are merged if there are more than ``largeMax`` of about one size.
///
/// An event is therefore written about three times, and the memory for merging does not grow with the store.
enum RunTiers {
  /// The largest number of consecutive settled runs.
  static let settledMax = 8
  /// The largest number of large runs of about one size. Together with all other runs, they can be read side by side.
  static let largeMax = 40
  /// The largest number of runs that are not settled after an ingest.
  static let runsMax = 6
  /// The number of bytes from which a run is settled.
  static let settledBytes = Limits.indexHeldBytesTarget / 2
  // An event is rewritten only when its run grows by at least a quarter.
  private static let ratio = 4

  /// Returns the range of the last runs that are to be merged because there are too many, or `nil` if there is
  /// nothing to merge.
  ///
  /// - Parameter sizes: The sizes of the runs in bytes, oldest first.
  static func suffixOfMany(_ sizes: [Int]) -> Range<Int>? {
    func suffix(upTo size: Int) -> Range<Int> {
      sizes.count - sizes.reversed().prefix { $0 <= size }.count..<sizes.count
    }
    let small = suffix(upTo: settledBytes * ratio)
    if sizes[small].count(where: { $0 >= settledBytes }) > settledMax { return small }
    guard let last = sizes.last else { return nil }
    let alike = suffix(upTo: last * ratio)
    return alike.count > largeMax ? alike : nil
  }

  /// Returns the range of the last runs that are to be merged at the end of an ingest, or `nil` if there is
  /// nothing to merge.
  ///
  /// - Parameter sizes: The sizes of the runs in bytes, oldest first.
  static func suffixAtEnd(_ sizes: [Int]) -> Range<Int>? {
    let first = (sizes.lastIndex { $0 >= settledBytes } ?? -1) + 1
    var start = sizes.count
    var laterBytes = 0
    for index in (first..<sizes.count).reversed() {
      if index < sizes.count - 1, sizes[index] < laterBytes * ratio || index - first >= runsMax - 1 { start = index }
      laterBytes += sizes[index]
    }
    return start < sizes.count - 1 ? start..<sizes.count : nil
  }
}
