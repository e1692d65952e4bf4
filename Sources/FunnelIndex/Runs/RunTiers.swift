internal import FunnelModel

/// Decides which runs to merge.
///
/// When an ingest ends, a run is merged with all later runs unless it is four times as large as they are together. So there are few runs,
/// and an event is rewritten only when its run grows by at least a quarter. A run above a certain size is settled: it is left alone until
/// there are so many settled runs that reading them side by side is slow, and then they are merged into a large run. An event is therefore
/// written about three times, and the memory for merging does not grow with the store. Large runs are merged only if there are more runs
/// of all sizes than can be read at once.
enum RunTiers {
  /// The largest number of consecutive settled runs.
  static let settledMax = 8
  /// The largest number of large runs of about one size; with all other runs they can be read side by side.
  static let largeMax = 40
  /// The largest number of runs that are not settled after an ingest.
  static let runsMax = 6
  /// The number of bytes from which a run is settled.
  static let settledBytes = Limits.indexHeldBytesTarget / 2
  private static let ratio = 4

  /// Returns the last runs if they are to be merged because they are too many.
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

  /// Returns the last runs that are to be merged when an ingest ends.
  static func suffixAtEnd(_ sizes: [Int]) -> Range<Int>? {
    let first = (sizes.lastIndex { $0 >= settledBytes } ?? -1) + 1
    var start = sizes.count
    var behind = 0
    for index in (first..<sizes.count).reversed() {
      if index < sizes.count - 1, sizes[index] < behind * ratio || index - first >= runsMax - 1 { start = index }
      behind += sizes[index]
    }
    return start < sizes.count - 1 ? start..<sizes.count : nil
  }
}
