/// A list of personal keys, which finds a listed key whose words another key contains (specification section 6).
///
/// ``KeyWords`` splits a key into words. Words are compared in lower case.
/// - A listed key of several words matches every key with these words in a row: `contact_name` matches `suggestedContactName`.
/// - A listed key of one word matches only a key without other words: `pin` matches `PIN`, but not `pin_set`.
/// - The last word may be a plural (`contactNames`), and a number may follow it (`contact_name_2`, `email2`).
/// - Words may be joined in either key: `contactname` equals `contact_name`.
struct PersonalKeys: Sendable {
  /// A listed key.
  private struct Entry: Sendable {
    let key: String
    /// The words of the key, joined and in lower case.
    let words: [UInt8]
    let isOneWord: Bool

    init(_ key: String) {
      let bytes = Array(key.utf8)
      self.key = key
      words = bytes.filter { !KeyWords.isSeparator($0) }.map(KeyWords.lowercased)
      isOneWord = bytes.indices.filter { KeyWords.begins(at: $0, of: bytes) }.count == 1
    }
  }

  private let entries: [[UInt8]: [Entry]]
  private let longestEntry: Int

  /// The number of bytes that a plural adds to a word at most, as in `addresses`.
  private static let pluralBytesMax = 2

  /// Creates a list. A key without any letter or digit matches nothing.
  init(_ keys: [String]) {
    entries = Dictionary(grouping: keys.map(Entry.init).filter { !$0.words.isEmpty }, by: \.words)
    longestEntry = entries.keys.map(\.count).max() ?? 0
  }

  /// Whether the list has no key.
  var isEmpty: Bool { entries.isEmpty }

  /// Returns the listed key that a key contains, or `nil` if it contains none.
  func listedKey(in key: String) -> String? {
    guard !isEmpty else { return nil }
    let bytes = Array(key.utf8)
    var isFirstWord = true
    for start in bytes.indices where KeyWords.begins(at: start, of: bytes) {
      if let entry = entry(in: bytes, from: start, isFirstWord: isFirstWord) { return entry.key }
      isFirstWord = false
    }
    return nil
  }

  /// Returns whether the list matches every key that a list with only the given key matches.
  func covers(_ key: String) -> Bool {
    let other = Entry(key)
    return (entries[other.words] ?? []).contains { !$0.isOneWord || other.isOneWord }
  }

  /// Returns the listed key whose words start at an index of a key, or `nil` if there is none.
  private func entry(in key: [UInt8], from start: Int, isFirstWord: Bool) -> Entry? {
    var words: [UInt8] = []
    // The words without trailing digits.
    var unnumbered: [UInt8] = []
    for index in start..<key.count where !KeyWords.isSeparator(key[index]) {
      let byte = KeyWords.lowercased(key[index])
      words.append(byte)
      if !byte.isASCIIDigit { unnumbered = words }
      if unnumbered.count > longestEntry + Self.pluralBytesMax { return nil }
      guard KeyWords.ends(after: index, of: key) else { continue }
      let isWholeKey = isFirstWord && KeyWords.isNumber(key, from: index + 1)
      if byte.isASCIIDigit, let entry = entry(of: words, isWholeKey: isWholeKey) { return entry }
      if let entry = entry(of: unnumbered, isWholeKey: isWholeKey) { return entry }
    }
    return nil
  }

  /// Returns the listed key that equals the words or is their singular, or `nil` if there is none.
  private func entry(of words: [UInt8], isWholeKey: Bool) -> Entry? {
    if let entry = find(words, isWholeKey: isWholeKey) { return entry }
    guard words.last == UInt8(ascii: "s") else { return nil }
    if let entry = find(words.dropLast(), isWholeKey: isWholeKey) { return entry }
    // A plural in `es` requires a singular in `s`: `addresses` matches `address`, but `pines` does not match `pin`.
    let isPlural = words.dropLast().last == UInt8(ascii: "e") && words.dropLast(2).last == UInt8(ascii: "s")
    return isPlural ? find(words.dropLast(2), isWholeKey: isWholeKey) : nil
  }

  private func find(_ words: some Sequence<UInt8>, isWholeKey: Bool) -> Entry? {
    entries[Array(words)]?.first { isWholeKey || !$0.isOneWord }
  }
}
