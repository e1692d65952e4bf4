import Crypto
public import FunnelModel

/// The forgotten subjects of a store, in the only form a store may keep: given a subject, it can be tested whether it is one of them.
///
///     let tombstones = try Tombstones(of: writer.reader)
///     if tombstones.contain(subject) { … }
public struct Tombstones: Sendable {
  /// The hashes that share a salt; in one store all do.
  private struct Group: Sendable {
    var salt: [UInt8]
    var hashes: Set<[UInt8]>
  }

  private var groups: [Group] = []

  /// Creates an empty set.
  public init() {}

  /// Reads a store's tombstones.
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

  /// Returns whether a subject was forgotten. A call takes about a microsecond, so frequent callers cache the results.
  public func contain(_ subject: UnsafeRawBufferPointer) -> Bool {
    groups.contains { $0.hashes.contains(Tombstone.hash(of: subject, salt: $0.salt)) }
  }

  /// Returns the tombstones of subjects that have none yet, as lines to be committed. They are in the order of their hashes, which does not
  /// reveal the order in which the subjects were given.
  public func lines(for subjects: [[UInt8]], at time: Timestamp) -> RecordBatch {
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
