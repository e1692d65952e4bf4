/// A set of distinct byte strings, numbered in insertion order: a hash table with linear probing.
///
/// A lookup allocates nothing. Not thread-safe: each thread owns its tables.
struct ByteTable: ~Copyable {
  /// The bytes of all entries.
  private var text = GrowingBytes(capacity: 1024)
  /// The end of each entry in ``text``. An entry begins at the end of the one before.
  private var ends = GrowingStorage<Int>()
  private var hashes = GrowingStorage<UInt64>()
  /// The number of each slot's entry plus one, or ``freeSlot``.
  private var slots: UnsafeMutablePointer<UInt32>
  /// The number of slots: a power of two, and at least twice the number of entries.
  private var slotCount = initialSlotCount

  private static let initialSlotCount = 64
  private static let freeSlot: UInt32 = 0

  init() {
    slots = .allocate(capacity: Self.initialSlotCount)
    slots.initialize(repeating: Self.freeSlot, count: Self.initialSlotCount)
  }

  deinit { slots.deallocate() }

  /// The number of entries.
  var count: Int { ends.count }

  /// The total number of bytes of all entries.
  var byteCount: Int { text.count }

  /// Returns the bytes of an entry, valid until the next insertion.
  subscript(number: Int) -> UnsafeRawBufferPointer {
    precondition(number < count, "an entry is read after its insertion")
    let start = number == 0 ? 0 : ends[number - 1]
    return UnsafeRawBufferPointer(rebasing: text.bytes[start..<ends[number]])
  }

  /// Returns the number of the entry with these bytes, or `nil` if there is none.
  ///
  /// - Parameter hash: The ``ByteHash`` of the bytes.
  func find(_ bytes: UnsafeRawBufferPointer, hash: UInt64) -> UInt32? {
    var slot = Int(truncatingIfNeeded: hash) & (slotCount - 1)
    while true {
      let entry = slots[slot]
      if entry == Self.freeSlot { return nil }
      let number = Int(entry) - 1
      if hashes[number] == hash, isEqual(number, bytes) { return UInt32(number) }
      slot = (slot + 1) & (slotCount - 1)
    }
  }

  /// Inserts an entry unless it is present, and returns its number.
  ///
  /// - Parameter hash: The ``ByteHash`` of the bytes.
  mutating func insert(_ bytes: UnsafeRawBufferPointer, hash: UInt64) -> (number: UInt32, isNew: Bool) {
    if let number = find(bytes, hash: hash) { return (number, false) }
    if (count + 1) * 2 > slotCount { growSlots() }
    text.append(raw: bytes)
    ends.append(text.count)
    hashes.append(hash)
    fillSlot(count - 1)
    return (UInt32(count - 1), true)
  }

  /// Inserts an entry unless it is present, and returns its number.
  mutating func insert(_ bytes: UnsafeRawBufferPointer) -> (number: UInt32, isNew: Bool) {
    insert(bytes, hash: ByteHash.hash(bytes))
  }

  @inline(__always)
  private func isEqual(_ number: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
    let start = number == 0 ? 0 : ends[number - 1]
    guard ends[number] - start == bytes.count else { return false }
    return ByteHash.areEqual(UnsafeRawPointer(text.base + start), bytes)
  }

  /// Stores an entry's number in the first free slot of its probe sequence.
  private func fillSlot(_ number: Int) {
    var slot = Int(truncatingIfNeeded: hashes[number]) & (slotCount - 1)
    while slots[slot] != Self.freeSlot { slot = (slot + 1) & (slotCount - 1) }
    slots[slot] = UInt32(number) + 1
  }

  private mutating func growSlots() {
    slots.deallocate()
    slotCount *= 2
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: Self.freeSlot, count: slotCount)
    for number in 0..<count { fillSlot(number) }
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
  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    var state: UInt64 = seed ^ UInt64(truncatingIfNeeded: count)
    guard let start = bytes.baseAddress, count >= 8 else { return short(bytes, state) }
    var offset = 0
    while offset &+ 16 < count {
      state = fold(word(start, offset) ^ state, word(start, offset &+ 8) ^ loopSecret)
      offset &+= 16
    }
    let first = word(start, count > 16 ? count &- 16 : 0)
    return fold(fold(first ^ state, word(start, count &- 8) ^ lastSecret), finalSecret)
  }

  /// Returns whether two byte strings are equal. `other` must have at least `bytes.count` bytes.
  @inline(__always)
  static func areEqual(_ other: UnsafeRawPointer, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    var offset = 0
    while offset &+ 8 <= bytes.count {
      if word(start, offset) != word(other, offset) { return false }
      offset &+= 8
    }
    while offset < bytes.count {
      if start.load(fromByteOffset: offset, as: UInt8.self) != other.load(fromByteOffset: offset, as: UInt8.self) {
        return false
      }
      offset &+= 1
    }
    return true
  }

  /// Returns the hash of fewer than eight bytes.
  private static func short(_ bytes: UnsafeRawBufferPointer, _ state: UInt64) -> UInt64 {
    var word: UInt64 = 0
    for byte in bytes { word = word << 8 | UInt64(byte) }
    return fold(fold(word ^ state, lastSecret), finalSecret)
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  /// Returns the two halves of the 128-bit product, combined by XOR.
  @inline(__always)
  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
