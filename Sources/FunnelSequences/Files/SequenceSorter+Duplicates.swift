import FunnelDecoding
internal import FunnelIndex
import FunnelModel

/// Deduplication: of several rows with the same identity, one is kept.
extension SequenceSorter {
  // Comparing all pairs is faster than sorting for few entries.
  private static let pairwiseCountMax = 32

  /// Returns whether two entries have the same identity.
  @inline(__always)
  static func hasDuplicate(_ entries: MutableColumn<Entry>) -> Bool {
    guard entries.count <= pairwiseCountMax else { return hasDuplicateAmongMany(entries) }
    var index = 1
    while index < entries.count {
      let identity = entries[index].identity
      var found = false
      var other = 0
      while other < index {
        found = found || entries[other].identity == identity
        other &+= 1
      }
      if found { return true }
      index &+= 1
    }
    return false
  }

  /// Returns whether two entries have the same identity, in O(n log n) time.
  static func hasDuplicateAmongMany(_ entries: MutableColumn<Entry>) -> Bool {
    var identities = (0..<entries.count).map { entries[$0].identity }
    identities.sort()
    return zip(identities, identities.dropFirst()).contains { $0 == $1 }
  }

  /// Removes all but the first entry of each identity; of those with the same time, all but the one with the smallest record.
  ///
  /// An ingest deduplicates by the same rule (``EventBatch/precedes(_:_:)``).
  ///
  /// - Parameter entries: The entries of one subject, sorted by time.
  /// - Returns: The number of entries kept, which are moved to the front.
  /// - Throws: ``Undecided`` if the decision needs records that are not loaded.
  mutating func removeDuplicates(_ entries: MutableColumn<Entry>) throws(Undecided) -> Int {
    var indexOfIdentity: [UInt64: Int] = [:]
    var count = 0
    for index in 0..<entries.count {
      let entry = entries[index]
      guard let keptIndex = indexOfIdentity[entry.identity] else {
        indexOfIdentity[entry.identity] = count
        entries[count] = entry
        count += 1
        continue
      }
      let kept = entries[keptIndex]
      if kept.milliseconds < entry.milliseconds || areEqual(kept, entry) {
        noteDuplicate(entry)
        continue
      }
      guard rows.columns.records else { throw Undecided() }
      if rows.record(of: entry).precedes(rows.record(of: kept)) {
        entries[keptIndex] = entry
        noteDuplicate(kept)
      } else {
        noteDuplicate(entry)
      }
    }
    return count
  }

  private mutating func noteDuplicate(_ entry: Entry) {
    deduplicated.duplicates[rows.eventName(of: entry), default: 0] += 1
  }

  /// Returns whether every report is the same whichever of two duplicates with the same time is kept.
  func areEqual(_ a: Entry, _ b: Entry) -> Bool {
    guard areAlike(a, b) else { return false }
    // Without details there is no `seq` to compare, and a tie whose order matters is undecided in any case.
    return !rows.columns.details || rows.detail(of: a).sequence == rows.detail(of: b).sequence
  }

  /// Returns whether every report is the same whichever of two events with the same time comes first, or is kept.
  ///
  /// That holds if both have the same flow matches, dimension values, attempt and user.
  func areAlike(_ a: Entry, _ b: Entry) -> Bool {
    guard a.matchListID == b.matchListID, !rows.columns.users || rows.user(of: a) == rows.user(of: b) else { return false }
    if a.matchListID == 0 { return true }
    if rows.columns.dimensions, rows.dimensions(of: a) != rows.dimensions(of: b) { return false }
    return !rows.columns.attempts || rows.attempt(of: a) == rows.attempt(of: b)
  }
}
