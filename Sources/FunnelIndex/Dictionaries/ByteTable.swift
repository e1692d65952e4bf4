/// A set of distinct byte strings, numbered in insertion order: a hash table with linear probing.
///
/// Looking up an existing entry allocates nothing. A table must not be shared between threads.
struct ByteTable: ~Copyable {
  private var text = GrowingBytes(capacity: 1024)
  private var ends = GrowingStorage<Int>()
  private var hashes = GrowingStorage<UInt64>()
  /// The number of the entry plus one, or 0 if the slot is free. There are at least twice as many slots as entries.
  private var slots: UnsafeMutablePointer<UInt32>
  private var slotCount = 64

  init() {
    slots = .allocate(capacity: 64)
    slots.initialize(repeating: 0, count: 64)
  }

  deinit { slots.deallocate() }

  /// The number of entries.
  var count: Int { ends.count }

  /// The total number of bytes of all entries.
  var byteCount: Int { text.count }

  /// The bytes of an entry, valid until the next one is added.
  subscript(number: Int) -> UnsafeRawBufferPointer {
    let start = number == 0 ? 0 : ends[number - 1]
    return UnsafeRawBufferPointer(rebasing: text.bytes[start..<ends[number]])
  }

  /// Returns the number of an entry, or nil if there is none.
  func find(_ bytes: UnsafeRawBufferPointer, hash: UInt64) -> UInt32? {
    var slot = Int(truncatingIfNeeded: hash) & (slotCount - 1)
    while true {
      let entry = slots[slot]
      if entry == 0 { return nil }
      let number = Int(entry) - 1
      if hashes[number] == hash, isEqual(number, bytes) { return UInt32(number) }
      slot = (slot + 1) & (slotCount - 1)
    }
  }

  /// Returns the number of an entry, which is added if it is new.
  mutating func insert(_ bytes: UnsafeRawBufferPointer, hash: UInt64) -> (number: UInt32, isNew: Bool) {
    if let number = find(bytes, hash: hash) { return (number, false) }
    if (count + 1) * 2 > slotCount { growSlots() }
    text.append(raw: bytes)
    ends.append(text.count)
    hashes.append(hash)
    place(count - 1)
    return (UInt32(count - 1), true)
  }

  /// Returns the number of an entry, which is added if it is new.
  mutating func insert(_ bytes: UnsafeRawBufferPointer) -> (number: UInt32, isNew: Bool) {
    insert(bytes, hash: ByteHash.hash(bytes))
  }

  @inline(__always)
  private func isEqual(_ number: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
    let start = number == 0 ? 0 : ends[number - 1]
    guard ends[number] - start == bytes.count else { return false }
    return ByteHash.areEqual(UnsafeRawPointer(text.base + start), bytes)
  }

  private func place(_ number: Int) {
    var slot = Int(truncatingIfNeeded: hashes[number]) & (slotCount - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slotCount - 1) }
    slots[slot] = UInt32(number) + 1
  }

  private mutating func growSlots() {
    slots.deallocate()
    slotCount *= 2
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: 0, count: slotCount)
    for number in 0..<count { place(number) }
  }
}

/// A fast hash of byte strings for tables in memory.
///
/// Words are folded in by full 64 × 64 → 128-bit multiplications, the construction of wyhash (Wang Yi, github.com/wangyi-fudan/wyhash). The
/// last words overlap the ones before, so that nothing is read past the end. `ByteWords` of FunnelIngest hashes likewise where padding
/// follows, which the pages of an index and the keys of its dictionaries do not have.
enum ByteHash {
  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: count)
    guard let start = bytes.baseAddress, count >= 8 else { return short(bytes, state) }
    var offset = 0
    while offset &+ 16 < count {
      state = fold(word(start, offset) ^ state, word(start, offset &+ 8) ^ 0xA076_1D64_78BD_642F)
      offset &+= 16
    }
    let first = word(start, count > 16 ? count &- 16 : 0)
    return fold(fold(first ^ state, word(start, count &- 8) ^ 0xE703_7ED1_A0B4_28DB), 0x8EBC_6AF0_9C88_C6E3)
  }

  /// Returns whether two byte strings of the same length are equal.
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

  private static func short(_ bytes: UnsafeRawBufferPointer, _ state: UInt64) -> UInt64 {
    var word: UInt64 = 0
    for byte in bytes { word = word << 8 | UInt64(byte) }
    return fold(fold(word ^ state, 0xE703_7ED1_A0B4_28DB), 0x8EBC_6AF0_9C88_C6E3)
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  @inline(__always)
  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
