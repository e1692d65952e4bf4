/// A set of distinct byte strings, with IDs in insertion order from 0: a hash table with linear probing.
///
/// A lookup allocates nothing.
struct InternTable: ~Copyable {
  /// The bytes of all entries.
  private var text = UniqueBytes(capacity: 1024)
  /// The end of each entry in ``text``. An entry begins at the end of the one before.
  private var ends = UniqueArray<Int>()
  private var hashes = UniqueArray<UInt64>()
  /// The ID of each bucket's entry plus one, or ``freeBucket``. The count is a power of two, and at least twice that of
  /// the entries.
  private var buckets = UniqueArray<UInt32>(repeating: freeBucket, count: initialBucketCount)

  private static let initialBucketCount = 64
  private static let freeBucket: UInt32 = 0

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
    var bucket = Int(truncatingIfNeeded: hash) & (buckets.count &- 1)
    while true {
      let entry = buckets[bucket]
      if entry == Self.freeBucket { return nil }
      let id = Int(entry) &- 1
      if hashes[id] == hash, self[id].isEqual(to: bytes) { return UInt32(truncatingIfNeeded: id) }
      bucket = (bucket &+ 1) & (buckets.count &- 1)
    }
  }

  /// Returns the ID of the entry with these bytes, or `nil` if there is none.
  func find(_ bytes: BorrowedBytes) -> UInt32? { find(bytes, hash: ByteHash.hash(bytes)) }

  /// Returns the ID of the entry with these bytes, which is inserted if it is new.
  ///
  /// - Parameter hash: The ``ByteHash`` of the bytes.
  mutating func findOrInsert(_ bytes: BorrowedBytes, hash: UInt64) -> (id: UInt32, isNew: Bool) {
    if let id = find(bytes, hash: hash) { return (id, false) }
    if (count + 1) * 2 > buckets.count { growBuckets() }
    text.append(bytes)
    ends.append(text.count)
    hashes.append(hash)
    fillBucket(count - 1)
    assert(hashes.count == ends.count, "each entry has a hash")
    return (UInt32(count - 1), true)
  }

  /// Returns the ID of the entry with these bytes, which is inserted if it is new.
  mutating func findOrInsert(_ bytes: BorrowedBytes) -> (id: UInt32, isNew: Bool) {
    findOrInsert(bytes, hash: ByteHash.hash(bytes))
  }

  /// Returns the ID of the entry with these bytes, which is inserted if it is new.
  mutating func findOrInsert(_ bytes: [UInt8]) -> (id: UInt32, isNew: Bool) {
    bytes.withBorrowedBytes { findOrInsert($0) }
  }

  /// Stores an entry's ID in the first free bucket of its probe sequence.
  private func fillBucket(_ id: Int) {
    var bucket = Int(truncatingIfNeeded: hashes[id]) & (buckets.count - 1)
    while buckets[bucket] != Self.freeBucket { bucket = (bucket + 1) & (buckets.count - 1) }
    buckets[bucket] = UInt32(id) + 1
  }

  private mutating func growBuckets() {
    buckets = UniqueArray(repeating: Self.freeBucket, count: 2 * buckets.count)
    for id in 0..<count { fillBucket(id) }
  }
}

/// A fast hash of byte strings, for tables in memory.
///
/// The hash mixes words by 64 × 64 → 128-bit multiplications, the construction of wyhash (Wang Yi,
/// github.com/wangyi-fudan/wyhash). The last words overlap the ones before, so nothing is read past the end.
enum ByteHash {
  // `ByteWords` of FunnelIngest uses the same construction for bytes followed by padding. The pages of an index
  // and the keys of its dictionaries have no padding.

  private static let seed: UInt64 = 0x9E37_79B9_7F4A_7C15
  // Odd constants of wyhash with about as many ones as zeros.
  private static let loopSecret: UInt64 = 0xA076_1D64_78BD_642F
  private static let lastSecret: UInt64 = 0xE703_7ED1_A0B4_28DB
  private static let finalSecret: UInt64 = 0x8EBC_6AF0_9C88_C6E3

  /// Returns the hash of a byte string.
  static func hash(_ bytes: BorrowedBytes) -> UInt64 {
    let count = bytes.count
    var state: UInt64 = seed ^ UInt64(truncatingIfNeeded: count)
    guard count >= 8 else { return short(bytes, state) }
    var offset = 0
    while offset &+ 16 < count {
      state = fold(word(bytes, offset) ^ state, word(bytes, offset &+ 8) ^ loopSecret)
      offset &+= 16
    }
    let first = word(bytes, count > 16 ? count &- 16 : 0)
    return fold(fold(first ^ state, word(bytes, count &- 8) ^ lastSecret), finalSecret)
  }

  /// Returns whether two byte strings of the same length are equal.
  @inline(__always)
  static func areEqual(_ a: BorrowedBytes, _ b: BorrowedBytes) -> Bool {
    assert(a.count == b.count, "bytes of different lengths differ")
    var offset = 0
    while offset &+ 8 <= b.count {
      if word(a, offset) != word(b, offset) { return false }
      offset &+= 8
    }
    while offset < b.count {
      if a[offset] != b[offset] { return false }
      offset &+= 1
    }
    return true
  }

  /// Returns the hash of fewer than eight bytes.
  private static func short(_ bytes: BorrowedBytes, _ state: UInt64) -> UInt64 {
    var word: UInt64 = 0
    for offset in 0..<bytes.count { word = word << 8 | UInt64(bytes[offset]) }
    return fold(fold(word ^ state, lastSecret), finalSecret)
  }

  @inline(__always)
  private static func word(_ bytes: BorrowedBytes, _ offset: Int) -> UInt64 { bytes.load(at: offset, as: UInt64.self) }

  /// Returns the two halves of the 128-bit product, combined by XOR.
  @inline(__always)
  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
