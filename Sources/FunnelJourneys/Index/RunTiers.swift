internal import FunnelModel

/// Which runs are worth merging.
///
/// When an ingest ends, a run is merged with all behind it unless it is four times as large as those together: so there are few runs, and an
/// event is written again only when the run it is in grows by a quarter at least. A run of a certain size is settled: it is left alone, so that
/// what an ingest costs does not grow with the store. Only where runs become so many that reading them side by side would take long are
/// those of about one size merged, settled or not.
enum RunTiers {
  /// Runs of about one size that may stand at the end.
  static let alikeRunsMax = 57
  /// Runs that are not settled that may remain after an ingest. With the settled ones they can be read side by side.
  static let runsMax = 6
  /// Bytes of a run that is settled.
  static let settledBytes = Limits.indexHeldBytesTarget / 2
  private static let ratio = 4

  /// The runs at the end that are to be merged because they are many.
  ///
  /// - Parameter sizes: The runs' bytes, oldest first.
  static func suffixOfMany(_ sizes: [Int]) -> Range<Int>? {
    guard let last = sizes.last else { return nil }
    let alike = sizes.reversed().prefix { $0 <= max(last, settledBytes) * ratio }.count
    return alike > alikeRunsMax ? sizes.count - alike..<sizes.count : nil
  }

  /// The runs at the end that are to be merged when an ingest ends.
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
