import FunnelModel

/// A cache of the shapes of objects: most objects have the keys of an earlier one, which need no second check.
///
/// The keys of a cached shape are known to be unique and to name no personal data, and their sorted order is known. Not to be shared
/// between threads.
final class MemberShapes {
  /// The maximum number of keys in a cached shape, and the maximum length of a key, in bytes.
  static let keysMax = 24
  static let keyBytesMax = 32
  private static let shapeCount = 64

  /// A key of a shape, padded with zeros.
  private typealias KeyWords = (UInt64, UInt64, UInt64, UInt64)

  /// The number of keys by shape; -1 for an empty slot.
  private let counts = UnsafeMutablePointer<Int32>.allocate(capacity: shapeCount)
  private let keyLengths = UnsafeMutablePointer<UInt8>.allocate(capacity: shapeCount * keysMax)
  private let keyWords = UnsafeMutablePointer<KeyWords>.allocate(capacity: shapeCount * keysMax)
  /// The place among the sorted members, for each member in the order of the object.
  private let sortedPlaces = UnsafeMutablePointer<UInt8>.allocate(capacity: shapeCount * keysMax)

  init() {
    counts.initialize(repeating: -1, count: Self.shapeCount)
  }

  deinit {
    counts.deallocate()
    keyLengths.deallocate()
    keyWords.deallocate()
    sortedPlaces.deallocate()
  }

  /// Returns the slot for the shape of an object that begins with a key.
  @inline(__always)
  func slot(ofFirstKey key: UnsafePointer<UInt8>, count: Int) -> Int {
    let word = count > 0 ? ByteWords.word(key, count: min(count, 8)) : 0
    // Fibonacci hashing: the highest 6 bits of the product index the 64 slots.
    return Int(truncatingIfNeeded: ((word &+ UInt64(truncatingIfNeeded: count)) &* 0x9E37_79B9_7F4A_7C15) >> 58)
  }

  /// Returns whether the cached shape has a key at a place.
  @inline(__always)
  func hasKey(_ key: UnsafePointer<UInt8>, count: Int, at place: Int, slot: Int) -> Bool {
    guard place < Int(counts[slot]) else { return false }
    let index = slot &* Self.keysMax &+ place
    guard Int(keyLengths[index]) == count else { return false }
    let bytes = UnsafeRawPointer(key)
    if count <= 8 { return count == 0 || ByteWords.word(bytes, count: count) == keyWords[index].0 }
    guard ByteWords.word(bytes) == keyWords[index].0 else { return false }
    if count <= 16 { return ByteWords.word(bytes + 8, count: count &- 8) == keyWords[index].1 }
    guard ByteWords.word(bytes + 8) == keyWords[index].1 else { return false }
    if count <= 24 { return ByteWords.word(bytes + 16, count: count &- 16) == keyWords[index].2 }
    return ByteWords.word(bytes + 16) == keyWords[index].2
      && ByteWords.word(bytes + 24, count: count &- 24) == keyWords[index].3
  }

  /// Returns whether the cached shape has `count` keys.
  @inline(__always)
  func hasCount(_ count: Int, slot: Int) -> Bool { Int(counts[slot]) == count }

  /// Returns the place among the sorted members of the member at a place of the object.
  @inline(__always)
  func sortedPlace(of place: Int, slot: Int) -> Int { Int(sortedPlaces[slot &* Self.keysMax &+ place]) }

  /// Checks every key of an object of a new shape, sorts the members, and caches the shape.
  ///
  /// A key that names personal data may have the value null. The next object of the shape may have another value, so the shape is not
  /// cached.
  ///
  /// - Parameter keys: Tells which keys name personal data; nil if they need not be checked.
  /// - Returns: `false` if a key occurs twice, or if it names personal data and its value is not null.
  func learn(_ members: EventMembers, slot: Int, keys: CleanKeys?) -> Bool {
    var hasPersonalKey = false
    if let keys {
      for member in members where keys.isPersonal(member.key) {
        guard member.value.isNull else { return false }
        hasPersonalKey = true
      }
    }
    var order = Array(members.indices)
    order.sort { members[$0].key.precedes(members[$1].key) }
    for (first, second) in zip(order, order.dropFirst()) where members[first].key.elementsEqual(members[second].key) {
      return false
    }
    if !hasPersonalKey, members.count <= Self.keysMax, members.allSatisfy({ $0.key.count <= Self.keyBytesMax }) {
      for (place, member) in members.enumerated() {
        let index = slot * Self.keysMax + place
        keyLengths[index] = UInt8(member.key.count)
        keyWords[index] = Self.words(of: member.key)
      }
      for (sorted, place) in order.enumerated() { sortedPlaces[slot * Self.keysMax + place] = UInt8(sorted) }
      counts[slot] = Int32(members.count)
    }
    members.sort { $0.key.precedes($1.key) }
    return true
  }

  private static func words(of key: UnsafeRawBufferPointer) -> KeyWords {
    var words: KeyWords = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: key) }
    return (
      UInt64(littleEndian: words.0), UInt64(littleEndian: words.1), UInt64(littleEndian: words.2), UInt64(littleEndian: words.3)
    )
  }
}
