/// A set of distinct byte strings, with IDs in insertion order from 0.
///
/// A lookup allocates nothing.
struct InternTable: ~Copyable {
  /// The bytes of all entries.
  private var text = UniqueBytes(capacity: 1024)
  /// The end of each entry in ``text``. An entry begins at the end of the one before.
  private var ends = UniqueArray<Int>()
  private var hashes = UniqueArray<UInt64>()
  /// The buckets, at least twice as many as entries.
  private var buckets = HashBuckets(count: initialBucketCount)

  private static let initialBucketCount = 64

  init() {}

  /// The number of entries.
  var count: Int { ends.count }

  /// The total number of bytes of all entries.
  var byteCount: Int { text.count }

  /// Returns the bytes of an entry, valid until the next insertion.
  subscript(id: Int) -> BorrowedBytes {
    precondition(id >= 0 && id < count, "an entry is read after its insertion")
    return text.bytes[(id == 0 ? 0 : ends[id - 1])..<ends[id]]
  }

  /// Returns the ID of the entry with these bytes, or `nil` if there is none.
  ///
  /// - Parameter hash: The ``ByteHash`` of the bytes.
  func find(_ bytes: BorrowedBytes, hash: UInt64) -> UInt32? {
    buckets.find(hash: hash) { hashes[$0] == hash && self[$0].isEqual(to: bytes) }.map { UInt32(truncatingIfNeeded: $0) }
  }

  /// Returns the ID of the entry with these bytes, or `nil` if there is none.
  func find(_ bytes: BorrowedBytes) -> UInt32? { find(bytes, hash: ByteHash.hash(bytes)) }

  /// Returns the ID of the entry with these bytes, which is inserted if it is new.
  ///
  /// - Parameter hash: The ``ByteHash`` of the bytes.
  mutating func findOrInsert(_ bytes: BorrowedBytes, hash: UInt64) -> (id: UInt32, isNew: Bool) {
    if let id = find(bytes, hash: hash) { return (id, false) }
    if (count + 1) * 2 > buckets.count {
      let known = hashes.elements
      buckets.grow(entryCount: known.count) { known[$0] }
    }
    text.append(bytes)
    ends.append(text.count)
    hashes.append(hash)
    buckets.insert(id: count - 1, hash: hash)
    assert(hashes.count == ends.count, "each entry has a hash")
    return (UInt32(count - 1), true)
  }

  /// Returns the ID of the entry with these bytes, which is inserted if it is new.
  mutating func findOrInsert(_ bytes: BorrowedBytes) -> (id: UInt32, isNew: Bool) {
    findOrInsert(bytes, hash: ByteHash.hash(bytes))
  }

  /// Returns the ID of the entry with these bytes, which is inserted if it is new.
  mutating func findOrInsert(_ bytes: [UInt8]) -> (id: UInt32, isNew: Bool) {
    bytes.withBorrowedElements { findOrInsert($0) }
  }
}
