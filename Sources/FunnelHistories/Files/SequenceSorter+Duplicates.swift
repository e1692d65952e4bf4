internal import FunnelIndex
import FunnelIngest
import FunnelModel

/// The rule by which one of several rows with the same identity stays.
extension SequenceSorter {
  /// Returns whether two entries have the same identity.
  @inline(__always)
  static func hasDuplicate(_ entries: UnsafeMutableBufferPointer<Entry>) -> Bool {
    guard entries.count <= 32 else { return hasDuplicateAmongMany(entries) }
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

  static func hasDuplicateAmongMany(_ entries: UnsafeMutableBufferPointer<Entry>) -> Bool {
    var identities = entries.map(\.identity)
    identities.sort()
    return zip(identities, identities.dropFirst()).contains { $0 == $1 }
  }

  /// Keeps the first entry of each identity; of those with the same time, the one with the smallest record.
  ///
  /// This is the rule by which an ingest chooses (``EventBatch/precedes(_:_:)``), applied to rows that are sorted by time and have their
  /// records only if they are needed, which is rare.
  ///
  /// - Returns: The number of entries left, which are moved to the front; nil if a decision needs records that were not kept.
  mutating func removeDuplicates(_ entries: UnsafeMutableBufferPointer<Entry>) -> Int? {
    var placeOfIdentity: [UInt64: Int] = [:]
    var count = 0
    for index in entries.indices {
      let entry = entries[index]
      guard let place = placeOfIdentity[entry.identity] else {
        placeOfIdentity[entry.identity] = count
        entries[count] = entry
        count += 1
        continue
      }
      let kept = entries[place]
      if kept.milliseconds < entry.milliseconds || areEqual(kept, entry) {
        noteDuplicate(entry)
        continue
      }
      guard columns.records else { return nil }
      if record(of: entry).precedes(record(of: kept)) {
        entries[place] = entry
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

  /// Returns whether it makes no difference which of two duplicates with the same time is kept.
  func areEqual(_ a: Entry, _ b: Entry) -> Bool {
    guard mean(a, sameAs: b) else { return false }
    // Without details there is no sequence to compare, and a tie whose order matters is undecided anyway.
    return !columns.details
      || chunk(of: a).details[place(of: a)].sequence == chunk(of: b).details[place(of: b)].sequence
  }

  /// Returns whether it makes no difference to any report which of two events with the same time comes first, or is kept.
  func mean(_ a: Entry, sameAs b: Entry) -> Bool {
    guard a.meaning == b.meaning else { return false }
    if a.meaning == 0 { return true }
    if columns.dimensions, chunk(of: a).dimensions[place(of: a)] != chunk(of: b).dimensions[place(of: b)] { return false }
    return !columns.attempts || chunk(of: a).attempt(of: place(of: a)) == chunk(of: b).attempt(of: place(of: b))
  }
}
