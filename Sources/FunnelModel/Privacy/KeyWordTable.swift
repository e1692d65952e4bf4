/// A list of keys that finds which of them another key contains, word by word (specification section 6).
///
/// ``KeyWords`` splits a key into words; words are compared in lower case.
/// - A listed key of several words matches every key with these words in a row: `contact_name` matches `suggestedContactName`.
/// - A listed key of one word matches only a key without other words: `pin` matches `PIN`, but not `pin_set`.
/// - The last word may be a plural (`contactNames`), and a number may follow it (`contact_name_2`, `email2`).
/// - Words may be joined in either key: `contactname` equals `contact_name`.
///
/// A lookup allocates nothing and costs a few hashes per word: from the start of each word, the bytes up to the end of each following word
/// are looked up in a hash table of the listed keys with their words joined.
struct KeyWordTable: Sendable {
  /// A listed key: its words, joined and in lower case.
  private struct Entry: Sendable {
    let bytes: [UInt8]
    let isOneWord: Bool
  }

  private let entries: [Entry]
  /// An open-addressing hash table of indices into ``entries``; -1 marks a free slot.
  private let slots: [Int32]
  private let longestEntry: Int

  /// Creates a table of listed keys, which are identified by their indices. One without any letter or digit matches no key.
  init(_ keys: [String]) {
    let entries = keys.map(Self.entry)
    // The table is at most half full, so that a search ends after a few slots.
    var slotCount = 16
    while slotCount < 2 * entries.count { slotCount *= 2 }
    var slots = [Int32](repeating: -1, count: slotCount)
    for (index, entry) in entries.enumerated() where !entry.bytes.isEmpty {
      var run = JoinedWords()
      for byte in entry.bytes { run.append(byte) }
      var slot = Self.slot(of: run.hash, in: slotCount)
      while slots[slot] >= 0 { slot = (slot + 1) % slotCount }
      slots[slot] = Int32(index)
    }
    self.entries = entries
    self.slots = slots
    longestEntry = entries.map(\.bytes.count).max() ?? 0
  }

  /// Returns the index of a listed key that a key contains, or nil if it contains none.
  func index(heldBy key: UnsafeRawBufferPointer) -> Int? {
    guard longestEntry > 0 else { return nil }
    var isFirstWord = true
    for start in 0..<key.count where KeyWords.begins(at: start, of: key) {
      if let index = index(heldBy: key, from: start, isFirstWord: isFirstWord) { return index }
      isFirstWord = false
    }
    return nil
  }

  /// Returns whether every key that contains another listed key also contains one of these.
  func covers(_ other: String) -> Bool {
    let other = Self.entry(of: other)
    return entries.contains { $0.bytes == other.bytes && (!$0.isOneWord || other.isOneWord) }
  }

  private static func entry(of key: String) -> Entry {
    Array(key.utf8).withUnsafeBytes { key in
      Entry(
        bytes: key.filter { !KeyWords.isSeparator($0) }.map(KeyWords.lowercased),
        isOneWord: key.indices.count { KeyWords.begins(at: $0, of: key) } == 1)
    }
  }

  private func index(heldBy key: UnsafeRawBufferPointer, from start: Int, isFirstWord: Bool) -> Int? {
    var run = JoinedWords()
    /// The run without the digits at its end.
    var unnumbered = JoinedWords()
    for position in start..<key.count where !KeyWords.isSeparator(key[position]) {
      let byte = KeyWords.lowercased(key[position])
      let isNumber = KeyWords.isDigit(byte)
      run.append(byte)
      if !isNumber { unnumbered = run }
      // A plural is at most two bytes longer than the listed key.
      if unnumbered.count > longestEntry + 2 { return nil }
      guard KeyWords.ends(behind: position, of: key) else { continue }
      let isWholeKey = isFirstWord && KeyWords.isNumber(key[(position + 1)...])
      if isNumber, let index = index(of: run, in: key, from: start, isWholeKey: isWholeKey) { return index }
      if let index = index(of: unnumbered, in: key, from: start, isWholeKey: isWholeKey) { return index }
    }
    return nil
  }

  /// Returns the index of the listed key that equals some words or has them as its plural, or nil if there is none.
  private func index(of run: JoinedWords, in key: UnsafeRawBufferPointer, from start: Int, isWholeKey: Bool) -> Int? {
    let (s, e) = (UInt8(ascii: "s"), UInt8(ascii: "e"))
    if let index = find(run.hash, run.count, in: key, from: start, isWholeKey: isWholeKey) { return index }
    guard run.last == s else { return nil }
    if let index = find(run.hashBeforeLast, run.count - 1, in: key, from: start, isWholeKey: isWholeKey) { return index }
    // This accepts `addresses`, but not `pines`.
    guard run.beforeLast == e else { return nil }
    let index = find(run.hashBeforeLastTwo, run.count - 2, in: key, from: start, isWholeKey: isWholeKey)
    return index.flatMap { entries[$0].bytes.last == s ? $0 : nil }
  }

  private func find(
    _ hash: UInt64, _ count: Int, in key: UnsafeRawBufferPointer, from start: Int, isWholeKey: Bool
  ) -> Int? {
    var slot = Self.slot(of: hash, in: slots.count)
    while slots[slot] >= 0 {
      let index = Int(slots[slot])
      if entries[index].bytes.count == count, isWholeKey || !entries[index].isOneWord,
        Self.stands(entries[index].bytes, in: key, at: start)
      {
        return index
      }
      slot = (slot + 1) % slots.count
    }
    return nil
  }

  private static func stands(_ words: [UInt8], in key: UnsafeRawBufferPointer, at start: Int) -> Bool {
    var count = 0
    for byte in key[start...] where !KeyWords.isSeparator(byte) {
      guard count < words.count else { return true }
      if KeyWords.lowercased(byte) != words[count] { return false }
      count += 1
    }
    return count == words.count
  }

  // The slot count is a power of two, so a mask replaces the remainder.
  @inline(__always)
  private static func slot(of hash: UInt64, in count: Int) -> Int { Int(truncatingIfNeeded: hash ^ hash >> 32) & (count - 1) }
}

/// A hash of the joined bytes of one or several words, also without the last byte and without the last two.
private struct JoinedWords {
  // FNV-1a with 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv). The listed keys are few and trusted, so a stronger hash is not needed.
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  private(set) var hashBeforeLast: UInt64 = 0
  private(set) var hashBeforeLastTwo: UInt64 = 0
  private(set) var last: UInt8 = 0
  private(set) var beforeLast: UInt8 = 0
  private(set) var count = 0

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    (hashBeforeLastTwo, hashBeforeLast) = (hashBeforeLast, hash)
    hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    (beforeLast, last) = (last, byte)
    count += 1
  }
}
