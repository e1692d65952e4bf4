/// Which runs are worth merging.
///
/// Runs of one ingest are alike and stay side by side until it ends, unless they become many. When it ends, a run is merged with all
/// behind it unless it is four times as large as those together: so there are few runs, and an event is written again only when
/// the run it is in grows by a quarter at least.
enum RunTiers {
  /// Runs of about one size that may stand at the end while an ingest goes on.
  static let alikeRunsMax = 58
  /// Runs that may remain after it.
  static let runsMax = 6
  private static let ratio = 4

  /// The runs at the end that are to be merged while an ingest goes on.
  ///
  /// - Parameter events: The runs' numbers of events, oldest first.
  static func suffixWhileIngesting(_ events: [Int]) -> Range<Int>? {
    guard let last = events.last else { return nil }
    let alike = events.reversed().prefix { $0 <= max(last, 1) * ratio }.count
    return alike >= alikeRunsMax ? events.count - alike..<events.count : nil
  }

  /// The runs at the end that are to be merged when an ingest ends.
  static func suffixAtEnd(_ events: [Int]) -> Range<Int>? {
    var start = events.count
    var behind = 0
    for index in events.indices.reversed() {
      if index < events.count - 1, events[index] < behind * ratio || index >= runsMax - 1 { start = index }
      behind += events[index]
    }
    return start < events.count - 1 ? start..<events.count : nil
  }
}
