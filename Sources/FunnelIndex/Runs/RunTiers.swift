internal import FunnelModel

/// Which runs are worth merging.
///
/// When an ingest ends, a run is merged with all behind it unless it is four times as large as those together: so there are few runs, and an
/// event is written again only when the run it is in grows by a quarter at least. A run of a certain size is settled and left alone, until there
/// are so many that reading them side by side takes long; then they become a large one. So an event is written three times or so, and what
/// merging takes of memory does not grow with the store. Only where runs of all sizes become more than can be read at once are large ones merged.
enum RunTiers {
  /// Settled runs that may stand behind each other.
  static let settledMax = 8
  /// Large runs of about one size that may; with all others they can be read side by side.
  static let largeMax = 40
  /// Runs that are not settled that may remain after an ingest.
  static let runsMax = 6
  /// Bytes of a run that is settled.
  static let settledBytes = Limits.indexHeldBytesTarget / 2
  private static let ratio = 4

  /// The runs at the end that are to be merged because they are many.
  ///
  /// - Parameter sizes: The runs' bytes, oldest first.
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
