package import FunnelModel

/// The set of the forgotten subjects of a store. It contains salted hashes, so it can be tested for a subject but not listed.
///
///     let tombstones = try Tombstones(of: writer.reader)
///     if tombstones.contain(subject) { … }
package struct Tombstones: Sendable {
  /// The hashes with one salt. All tombstones of a store share their salt.
  private struct Group: Sendable {
    var salt: [UInt8]
    var hashes: Set<[UInt8]>
  }

  private var groups: [Group] = []

  /// Creates an empty set.
  package init() {}

  /// Reads the tombstones of a store.
  ///
  /// - Throws: `inputOutput` if they are damaged.
  package init(of store: StoreReader) throws(FunnelError) {
    for member in try store.members(of: .forgotten) {
      let raw = try store.read(member)
      for line in RecordLines(of: raw) where !line.isBlank {
        guard let tombstone = Tombstone.parse(raw[line.text]) else {
          throw FunnelError(
            .inputOutput, "a tombstone can't be read, \(member.logFile), check the store with 'funnel log verify'")
        }
        insert(tombstone)
      }
    }
  }

  /// Whether no subject was forgotten.
  package var isEmpty: Bool { groups.isEmpty }

  /// The number of forgotten subjects.
  package var count: Int { groups.reduce(0) { $0 + $1.hashes.count } }

  /// Returns whether a subject was forgotten. A call takes about a microsecond: callers that test many events
  /// should cache the results.
  package func contain(_ subject: some Collection<UInt8>) -> Bool {
    groups.contains { $0.hashes.contains(Tombstone.hash(of: subject, salt: $0.salt)) }
  }

  /// Returns new tombstones for the subjects that have none, as lines to be committed.
  package func lines(for subjects: [[UInt8]], at time: Timestamp) -> RecordBatch {
    // The lines are sorted by hash, so that they don't reveal the order of the subjects.
    let salt = groups.first?.salt ?? .random(count: Tombstone.saltBytes)
    var hashes: Set<[UInt8]> = []
    for subject in subjects where !contain(subject) { hashes.insert(Tombstone.hash(of: subject, salt: salt)) }
    var lines = RecordBatch()
    for hash in hashes.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      lines.append(Tombstone(at: time, salt: salt, hash: hash).line, timestamp: time)
    }
    return lines
  }

  private mutating func insert(_ tombstone: Tombstone) {
    if let group = groups.firstIndex(where: { $0.salt == tombstone.salt }) {
      groups[group].hashes.insert(tombstone.hash)
    } else {
      groups.append(Group(salt: tombstone.salt, hashes: [tombstone.hash]))
    }
  }
}
