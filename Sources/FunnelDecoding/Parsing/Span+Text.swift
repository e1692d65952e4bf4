import FunnelModel
import FunnelSystem

// Searching and comparing the bytes of texts.

extension Span<UInt8> {
  /// Returns whether a byte occurs.
  func contains(_ byte: UInt8) -> Bool { firstIndex(of: byte, from: 0) != nil }

  /// Returns the offset of the first occurrence of a text at or after `start`, or `nil` if there is none. An empty text
  /// never occurs.
  func offset(of wanted: Span<UInt8>, from start: Int = 0) -> Int? {
    bytes.withUnsafeBytes { text in
      wanted.bytes.withUnsafeBytes { ByteSearch.offset(of: $0, in: text, from: start) }
    }
  }

  /// Returns whether the bytes equal others.
  func isEqual(to other: Span<UInt8>) -> Bool {
    bytes.withUnsafeBytes { mine in other.bytes.withUnsafeBytes { ByteSearch.areEqual(mine, $0) } }
  }

  /// Returns whether the bytes are the UTF-8 of a text.
  func isEqual(to text: String) -> Bool {
    guard text.utf8.count == count else { return false }
    return text.utf8.withContiguousStorageIfAvailable { isEqual(to: $0.span) } ?? starts(with: text)
  }

  /// Returns whether the bytes are those of a text.
  func isEqual(to text: StaticString) -> Bool {
    text.withUTF8Buffer { isEqual(to: $0.span) }
  }

  /// Returns whether the bytes begin with the UTF-8 of a text.
  func starts(with text: String) -> Bool {
    guard text.utf8.count <= count else { return false }
    var index = 0
    for byte in text.utf8 {
      if self[unchecked: index] != byte { return false }
      index += 1
    }
    return true
  }

  /// Returns whether all bytes satisfy a predicate.
  @inline(__always)
  func allSatisfy(_ isAllowed: (UInt8) -> Bool) -> Bool {
    for index in indices where !isAllowed(self[unchecked: index]) { return false }
    return true
  }

  /// Returns the index of the first byte at or after `start` that does not satisfy a predicate, or the length if all do.
  @inline(__always)
  func endOfPrefix(from start: Int, where isOfPrefix: (UInt8) -> Bool) -> Int {
    precondition(start >= 0, "an index is not negative")
    var index = start
    while index < count, isOfPrefix(self[unchecked: index]) { index += 1 }
    return index
  }

  /// The bytes without control characters and white space at the ends.
  var trimmed: Span<UInt8> {
    @_lifetime(copy self)
    get {
      let start = endOfPrefix(from: 0) { $0 <= 0x20 }
      var end = count
      while end > start, self[unchecked: end - 1] <= 0x20 { end -= 1 }
      return extracting(start..<end)
    }
  }

  /// The bytes as a string. Invalid UTF-8 is replaced.
  var text: String { bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

  /// The bytes as a string for a message, truncated to 120 characters.
  var shown: String { text.cutForMessage(120) }

  /// Whether the bytes are a valid name: a lowercase letter, then lowercase letters, digits and underscores, at most
  /// ``Limits/nameBytesMax`` in total.
  var isName: Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard !isEmpty, letters.contains(self[0]), count <= Limits.nameBytesMax else { return false }
    return allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_") }
  }

  /// Whether the UTF-8 text contains a control character: C0, DEL, or C1 (which UTF-8 encodes as C2 80 to C2 9F).
  var hasControlCharacter: Bool {
    for index in indices {
      let byte = self[index]
      if byte < 0x20 || byte == 0x7F { return true }
      if byte == 0xC2, index + 1 < count, self[index + 1] < 0xA0 { return true }
    }
    return false
  }

  /// Whether the bytes may contain a control character: a fast test with false positives.
  @inline(__always)
  var mayContainControlCharacter: Bool {
    // Finds a byte below 0x20, DEL, or C2, the first byte of a C1 character in UTF-8 (Hacker's Delight, section 6-1).
    func candidates(in word: UInt64) -> UInt64 {
      let ones: UInt64 = 0x0101_0101_0101_0101
      let del = word ^ (ones &* 0x7F)
      let c2 = word ^ (ones &* 0xC2)
      return (word &- ones &* 0x20) & ~word | (del &- ones) & ~del | (c2 &- ones) & ~c2
    }
    var offset = 0
    var found: UInt64 = 0
    while offset &+ Self.wordBytes <= count {
      found |= candidates(in: word(at: offset))
      offset &+= Self.wordBytes
    }
    let remainder = count &- offset
    // The bytes after the text are set, because zeros would be control characters.
    if remainder > 0 { found |= candidates(in: word(at: offset, byteCount: remainder) | ~ByteWords.mask(remainder)) }
    return found & 0x8080_8080_8080_8080 != 0
  }
}
