/// A hash table of listed keys, which finds a listed key whose words another key contains (specification section 6).
///
/// ``KeyWords`` splits a key into words. Words are compared in lower case.
/// - A listed key of several words matches every key with these words in a row: `contact_name` matches `suggestedContactName`.
/// - A listed key of one word matches only a key without other words: `pin` matches `PIN`, but not `pin_set`.
/// - The last word may be a plural (`contactNames`), and a number may follow it (`contact_name_2`, `email2`).
/// - Words may be joined in either key: `contactname` equals `contact_name`.
///
/// A lookup does not allocate. It looks up every sequence of consecutive words of a key, joined, from each
/// word's start until the sequence is longer than any listed key.
struct KeyWordTable: Sendable {
  /// A listed key.
  private struct Entry: Sendable {
    /// The words of the key, joined and in lower case.
    let bytes: [UInt8]
    let isOneWord: Bool
  }

  private let entries: [Entry]
  /// An open-addressing hash table of indices into ``entries``. The number of slots is a power of two.
  private let slots: [Int32]
  /// The length of the longest entry in bytes.
  private let longestEntry: Int

  /// The value of a free slot. An Optional would double the size of a slot.
  private static let freeSlot: Int32 = -1
  private static let slotsMin = 16
  /// The number of bytes that a plural adds to a word at most, as in `addresses`.
  private static let pluralBytesMax = 2

  /// Creates a table. A lookup returns the index of a key in this list. A key without any letter or digit matches nothing.
  init(_ keys: [String]) {
    let entries = keys.map(Self.entry)
    // The table is at most half full, which keeps searches short.
    var slotCount = Self.slotsMin
    while slotCount < 2 * entries.count { slotCount *= 2 }
    var slots = [Int32](repeating: Self.freeSlot, count: slotCount)
    for (index, entry) in entries.enumerated() where !entry.bytes.isEmpty {
      var words = JoinedWords()
      for byte in entry.bytes { words.append(byte) }
      var slot = Self.slot(of: words.joined.hash, in: slotCount)
      while slots[slot] != Self.freeSlot { slot = (slot + 1) % slotCount }
      slots[slot] = Int32(index)
    }
    assert(2 * entries.count <= slotCount, "a search ends at a free slot")
    self.entries = entries
    self.slots = slots
    longestEntry = entries.map(\.bytes.count).max() ?? 0
  }

  /// Returns the index of a listed key that a key contains, or `nil` if it contains none.
  func index(heldBy key: Span<UInt8>) -> Int? {
    guard longestEntry > 0 else { return nil }
    var isFirstWord = true
    for start in 0..<key.count where KeyWords.begins(at: start, of: key) {
      if let index = index(heldBy: key, from: start, isFirstWord: isFirstWord) { return index }
      isFirstWord = false
    }
    return nil
  }

  /// Returns whether the table matches every key that a table with only the given key matches.
  func covers(_ other: String) -> Bool {
    let other = Self.entry(of: other)
    return entries.contains { $0.bytes == other.bytes && (!$0.isOneWord || other.isOneWord) }
  }

  private static func entry(of key: String) -> Entry {
    let bytes = Array(key.utf8)
    let wordCount = bytes.indices.count { KeyWords.begins(at: $0, of: bytes.span) }
    return Entry(bytes: bytes.filter { !KeyWords.isSeparator($0) }.map(KeyWords.lowercased), isOneWord: wordCount == 1)
  }

  /// Returns the index of a listed key whose words start at an index of a key, or `nil` if there is none.
  private func index(heldBy key: Span<UInt8>, from start: Int, isFirstWord: Bool) -> Int? {
    var words = JoinedWords()
    // The words without trailing digits.
    var unnumbered = JoinedWords()
    for byteIndex in start..<key.count where !KeyWords.isSeparator(key[byteIndex]) {
      let byte = KeyWords.lowercased(key[byteIndex])
      let isDigit = byte.isASCIIDigit
      words.append(byte)
      if !isDigit { unnumbered = words }
      if unnumbered.count > longestEntry + Self.pluralBytesMax { return nil }
      guard KeyWords.ends(after: byteIndex, of: key) else { continue }
      let isWholeKey = isFirstWord && KeyWords.isNumber(key, from: byteIndex + 1)
      if isDigit, let index = index(of: words, in: key, from: start, isWholeKey: isWholeKey) { return index }
      if let index = index(of: unnumbered, in: key, from: start, isWholeKey: isWholeKey) { return index }
    }
    return nil
  }

  /// Returns the index of the listed key that equals the words or is their singular, or `nil` if there is none.
  ///
  /// - Parameters:
  ///   - start: The index of the words' first byte in the key.
  ///   - isWholeKey: Whether the key has no further words.
  private func index(of words: JoinedWords, in key: Span<UInt8>, from start: Int, isWholeKey: Bool) -> Int? {
    if let index = find(words.joined, in: key, from: start, isWholeKey: isWholeKey) { return index }
    guard words.last == UInt8(ascii: "s") else { return nil }
    if let index = find(words.withoutLast, in: key, from: start, isWholeKey: isWholeKey) { return index }
    guard words.beforeLast == UInt8(ascii: "e") else { return nil }
    let index = find(words.withoutLastTwo, in: key, from: start, isWholeKey: isWholeKey)
    // A plural in `es` requires a singular in `s`: `addresses` matches `address`, but `pines` does not match `pin`.
    return index.flatMap { entries[$0].bytes.last == UInt8(ascii: "s") ? $0 : nil }
  }

  /// Returns the index of the listed key with a given hash and length, or `nil` if there is none.
  private func find(_ word: JoinedWords.Prefix, in key: Span<UInt8>, from start: Int, isWholeKey: Bool) -> Int? {
    var slot = Self.slot(of: word.hash, in: slots.count)
    while slots[slot] != Self.freeSlot {
      let index = Int(slots[slot])
      if entries[index].bytes.count == word.count, isWholeKey || !entries[index].isOneWord,
        Self.hasWords(entries[index].bytes, key, at: start)
      {
        return index
      }
      slot = (slot + 1) % slots.count
    }
    return nil
  }

  /// Returns whether the bytes of joined words follow in a key from an index on, regardless of separators and case.
  private static func hasWords(_ words: [UInt8], _ key: Span<UInt8>, at start: Int) -> Bool {
    var count = 0
    for index in start..<key.count where !KeyWords.isSeparator(key[index]) {
      guard count < words.count else { return true }
      if KeyWords.lowercased(key[index]) != words[count] { return false }
      count += 1
    }
    return count == words.count
  }

  /// Returns the first slot of a hash. The slot count is a power of two, so a mask replaces the remainder.
  @inline(__always)
  private static func slot(of hash: UInt64, in count: Int) -> Int {
    assert(count.nonzeroBitCount == 1, "the number of slots is a power of two")
    return Int(truncatingIfNeeded: hash ^ hash >> 32) & (count - 1)
  }
}

/// A rolling hash of joined words, with the hashes before the last byte and before the last two.
private struct JoinedWords {
  // The hash is FNV-1a with 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv). The listed keys are few and
  // trusted, so a stronger hash is not needed.
  private static let offsetBasis: UInt64 = 0xCBF2_9CE4_8422_2325
  private static let prime: UInt64 = 0x100_0000_01B3

  /// The first bytes of the words: their hash and their number.
  struct Prefix {
    let hash: UInt64
    let count: Int
  }

  private(set) var count = 0
  private var hash = JoinedWords.offsetBasis
  private var hashBeforeLast: UInt64 = 0
  private var hashBeforeLastTwo: UInt64 = 0
  /// The last byte, or 0 if there is none.
  private(set) var last: UInt8 = 0
  /// The byte before the last, or 0 if there is none.
  private(set) var beforeLast: UInt8 = 0

  /// All bytes.
  var joined: Prefix { Prefix(hash: hash, count: count) }

  /// The bytes without the last, of at least one.
  var withoutLast: Prefix {
    assert(count >= 1, "there is a last byte")
    return Prefix(hash: hashBeforeLast, count: count - 1)
  }

  /// The bytes without the last two, of at least two.
  var withoutLastTwo: Prefix {
    assert(count >= 2, "there are two last bytes")
    return Prefix(hash: hashBeforeLastTwo, count: count - 2)
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    hashBeforeLastTwo = hashBeforeLast
    hashBeforeLast = hash
    hash = (hash ^ UInt64(byte)) &* Self.prime
    beforeLast = last
    last = byte
    count += 1
  }
}
