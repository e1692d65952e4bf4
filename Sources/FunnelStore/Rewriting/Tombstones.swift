import Crypto
public import FunnelModel

/// The set of the forgotten subjects of a store. It contains salted hashes, so it can be tested for a subject but not listed.
///
///     let tombstones = try Tombstones(of: writer.reader)
///     if tombstones.contain(subject) { … }
public struct Tombstones: Sendable {
  /// The hashes with one salt. All tombstones of a store share their salt.
  private struct Group: Sendable {
    var salt: [UInt8]
    var hashes: Set<[UInt8]>
  }

  private var groups: [Group] = []

  /// Creates an empty set.
  public init() {}

  /// Reads the tombstones of a store.
  ///
  /// - Throws: `inputOutput` if they are damaged.
  public init(of store: StoreReader) throws(FunnelError) {
    for member in try store.members(of: .forgotten) {
      let raw = try store.read(member)
      for line in RecordLines(of: raw) where !line.isBlank {
        guard let tombstone = Tombstone.parse(raw[line.text]) else {
          throw FunnelError(
            .inputOutput, "a tombstone can't be read, \(member.part), check the store with 'funnel log verify'")
        }
        insert(tombstone)
      }
    }
  }

  /// Whether no subject was forgotten.
  public var isEmpty: Bool { groups.isEmpty }

  /// The number of forgotten subjects.
  public var count: Int { groups.reduce(0) { $0 + $1.hashes.count } }

  /// Returns whether a subject was forgotten. A call takes about a microsecond: callers that test many events
  /// should cache the results.
  public func contain(_ subject: UnsafeRawBufferPointer) -> Bool {
    groups.contains { $0.hashes.contains(Tombstone.hash(of: subject, salt: $0.salt)) }
  }

  /// Returns new tombstones for the subjects that have none, as lines to be committed.
  public func lines(for subjects: [[UInt8]], at time: Timestamp) -> RecordBatch {
    // The lines are sorted by hash, so that they don't reveal the order of the subjects.
    let salt = groups.first?.salt ?? SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
    var hashes: Set<[UInt8]> = []
    for subject in subjects {
      subject.withUnsafeBytes { bytes in
        if !contain(bytes) { hashes.insert(Tombstone.hash(of: bytes, salt: salt)) }
      }
    }
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
