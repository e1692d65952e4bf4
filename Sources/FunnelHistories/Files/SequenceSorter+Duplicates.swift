internal import FunnelIndex
import FunnelIngest
import FunnelModel

/// Deduplication: of several rows with the same identity, one is kept.
extension SequenceSorter {
  // Comparing all pairs is faster than sorting for few entries.
  private static let pairwiseCountMax = 32

  /// Returns whether two entries have the same identity.
  @inline(__always)
  static func hasDuplicate(_ entries: UnsafeMutableBufferPointer<Entry>) -> Bool {
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
  static func hasDuplicateAmongMany(_ entries: UnsafeMutableBufferPointer<Entry>) -> Bool {
    var identities = entries.map(\.identity)
    identities.sort()
    return zip(identities, identities.dropFirst()).contains { $0 == $1 }
  }

  /// Removes all but the first entry of each identity; of those with the same time, all but the one with the smallest record.
  ///
  /// An ingest deduplicates by the same rule (``EventBatch/precedes(_:_:)``).
  ///
  /// - Parameter entries: The entries of one subject, sorted by time.
  /// - Returns: The number of entries kept, which are moved to the front, or `nil` if
  ///   the decision needs records that are not loaded.
  mutating func removeDuplicates(_ entries: UnsafeMutableBufferPointer<Entry>) -> Int? {
    var indexOfIdentity: [UInt64: Int] = [:]
    var count = 0
    for index in entries.indices {
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
      guard columns.records else { return nil }
      if record(of: entry).precedes(record(of: kept)) {
        entries[keptIndex] = entry
        noteDuplicate(kept)
      } else {
        noteDuplicate(entry)
      }
    }
    return count
  }

  private mutating func noteDuplicate(_ entry: Entry) {
    deduplicated.duplicates[eventNames[Int(entry.place)], default: 0] += 1
  }

  /// Returns whether every report is the same whichever of two duplicates with the same time is kept.
  func areEqual(_ a: Entry, _ b: Entry) -> Bool {
    guard mean(a, sameAs: b) else { return false }
    // Without details there is no `seq` to compare, and a tie whose order matters is undecided in any case.
    return !columns.details
      || chunk(of: a).details[place(of: a)].sequence == chunk(of: b).details[place(of: b)].sequence
  }

  /// Returns whether every report is the same whichever of two events with the same time comes first, or is kept.
  ///
  /// That holds if both have the same flow matches, dimension values and attempt.
  func mean(_ a: Entry, sameAs b: Entry) -> Bool {
    guard a.meaning == b.meaning else { return false }
    if a.meaning == 0 { return true }
    if columns.dimensions, chunk(of: a).dimensions[place(of: a)] != chunk(of: b).dimensions[place(of: b)] { return false }
    return !columns.attempts || chunk(of: a).attempt(of: place(of: a)) == chunk(of: b).attempt(of: place(of: b))
  }
}
