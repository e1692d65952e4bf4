import FunnelModel

/// A direct-mapped cache of object shapes. A shape is the list of an object's keys, in their order.
///
/// Most objects have the same keys as an earlier one. For a cached shape, the keys are already validated (they
/// are unique, and none names personal data), and their sorted order is stored. Not thread-safe: each worker
/// owns one.
final class MemberShapes {
  /// The maximum number of keys in a cached shape.
  static let keysMax = 24
  /// The maximum length of a key in a cached shape, in bytes: the size of ``KeyWords``.
  static let keyBytesMax = 32
  private static let shapeCount = 64
  /// The high bits of a hash that index the slots: 6 of 64.
  private static let slotShift: UInt64 = 58
  /// The key count of an empty slot. No object has it.
  private static let emptySlot: Int32 = -1

  /// A key of a shape, padded with zeros.
  typealias KeyWords = (UInt64, UInt64, UInt64, UInt64)

  /// The number of keys of the shape in each slot, or ``emptySlot``.
  private let counts: Table<Int32>
  private let keyLengths: Table<UInt8>
  private let keyWords: Table<KeyWords>
  /// The index among the sorted members, for each member in the order of the object.
  private let sortedIndices: Table<UInt8>
  private let arena = Arena()

  /// Creates an empty cache.
  init() {
    counts = arena.table(repeating: Self.emptySlot, count: Self.shapeCount)
    keyLengths = arena.table(count: Self.shapeCount * Self.keysMax)
    keyWords = arena.table(count: Self.shapeCount * Self.keysMax)
    sortedIndices = arena.table(count: Self.shapeCount * Self.keysMax)
  }

  /// Returns the slot for the shapes of objects with a first key.
  @inline(__always)
  func slot(ofFirstKey key: PaddedText) -> Int {
    let word = key.isEmpty ? 0 : key.word(at: 0, byteCount: min(key.count, 8))
    // Fibonacci hashing: the high bits of the product are the best mixed ones.
    let product = (word &+ UInt64(truncatingIfNeeded: key.count)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: product >> Self.slotShift)
  }

  /// Whether a key is the one at an index of the cached shape.
  @inline(__always)
  func hasKey(_ key: PaddedText, at position: Int, slot: Int) -> Bool {
    guard position < Int(counts[slot]) else { return false }
    let index = slot &* Self.keysMax &+ position
    let count = key.count
    guard Int(keyLengths[index]) == count else { return false }
    if count <= 8 { return count == 0 || key.word(at: 0, byteCount: count) == keyWords[index].0 }
    guard key.word(at: 0) == keyWords[index].0 else { return false }
    if count <= 16 { return key.word(at: 8, byteCount: count &- 8) == keyWords[index].1 }
    guard key.word(at: 8) == keyWords[index].1 else { return false }
    if count <= 24 { return key.word(at: 16, byteCount: count &- 16) == keyWords[index].2 }
    return key.word(at: 16) == keyWords[index].2 && key.word(at: 24, byteCount: count &- 24) == keyWords[index].3
  }

  /// Whether the cached shape has `count` keys.
  @inline(__always)
  func hasCount(_ count: Int, slot: Int) -> Bool { Int(counts[slot]) == count }

  /// Returns the index among the sorted members of the member at an index of the object.
  @inline(__always)
  func sortedIndex(of position: Int, slot: Int) -> Int { Int(sortedIndices[slot &* Self.keysMax &+ position]) }

  /// Validates the keys of an object that has no cached shape, sorts the members, and caches the shape in a slot.
  ///
  /// - Parameters:
  ///   - members: The members in the order of the object. They are sorted by key if the result is `true`.
  ///   - slot: The slot of the object's first key. A shape that it contains is replaced.
  ///   - keys: Recognizes keys that name personal data, or `nil` if keys need no check.
  /// - Returns: `false` if a key occurs twice, or if a key names personal data and its value is not null.
  func learn(_ members: EventMembers, slot: Int, keys: CleanKeys?) -> Bool {
    var hasPersonalKey = false
    if let keys {
      for member in members where keys.isPersonal(member.key.span) {
        guard member.value.isNull else { return false }
        hasPersonalKey = true
      }
    }
    var order = Array(members.indices)
    order.sort { members[$0].key.precedes(members[$1].key) }
    for (first, second) in zip(order, order.dropFirst()) where members[first].key.elementsEqual(members[second].key) {
      return false
    }
    // A key that names personal data is valid with the value null. Another object of the shape may have another
    // value, so such a shape is not cached.
    if !hasPersonalKey, members.count <= Self.keysMax, members.allSatisfy({ $0.key.count <= Self.keyBytesMax }) {
      for (position, member) in members.enumerated() {
        let index = slot * Self.keysMax + position
        keyLengths[index] = UInt8(member.key.count)
        keyWords[index] = Self.words(of: PaddedText(member.key))
      }
      for (sorted, position) in order.enumerated() { sortedIndices[slot * Self.keysMax + position] = UInt8(sorted) }
      counts[slot] = Int32(members.count)
    }
    members.sort { $0.key.precedes($1.key) }
    return true
  }

  /// Returns the bytes of a key of at most ``keyBytesMax`` bytes as little-endian words, padded with zeros.
  private static func words(of key: PaddedText) -> KeyWords {
    assert(key.count <= keyBytesMax, "the words have room for the key")
    func word(at offset: Int) -> UInt64 {
      offset < key.count ? key.word(at: offset, byteCount: min(key.count - offset, 8)) : 0
    }
    return (word(at: 0), word(at: 8), word(at: 16), word(at: 24))
  }
}
