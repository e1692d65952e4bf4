import FunnelDecoding

/// Finds the structural characters of JSON.
package enum JSONStructure {
  /// Returns the index of the next quote, bracket, brace or line feed, or `end` if there is none. The start must be outside
  /// of a string.
  @inline(__always)
  package static func next(in text: Span<UInt8>, from start: Int, to end: Int) -> Int {
    assert(start >= 0 && end <= text.count, "the text contains the range")
    var index = start
    while index < end {
      let byte = text[unchecked: index]
      // Brackets and braces differ in one bit, 0x20.
      let folded = byte | 0x20
      if byte == Byte.quote || byte == Byte.lineFeed || folded == Byte.openBrace || folded == Byte.closeBrace { return index }
      index &+= 1
    }
    return end
  }

  /// Returns the index of the next quote, backslash or line feed, or `end` if there is none.
  @inline(__always)
  package static func nextInString(in text: Span<UInt8>, from start: Int, to end: Int) -> Int {
    assert(start >= 0 && end <= text.count, "the text contains the range")
    // The search compares eight bytes at a time: the exclusive or of equal bytes is zero.
    var index = start
    while index &+ wordBytes <= end {
      let word = word(of: text, at: index)
      let found = zeros(word ^ quotes) | zeros(word ^ backslashes) | zeros(word ^ lineFeeds)
      if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
      index &+= wordBytes
    }
    while index < end {
      let byte = text[unchecked: index]
      if byte == Byte.quote || byte == Byte.backslash || byte == Byte.lineFeed { return index }
      index &+= 1
    }
    return end
  }

  private static let wordBytes = 8
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let quotes = ones &* UInt64(Byte.quote)
  private static let backslashes = ones &* UInt64(Byte.backslash)
  private static let lineFeeds = ones &* UInt64(Byte.lineFeed)

  /// Returns eight bytes as a little-endian integer.
  @inline(__always)
  private static func word(of text: Span<UInt8>, at offset: Int) -> UInt64 {
    // The optimizer combines the eight loads into one.
    var word: UInt64 = 0
    for index in 0..<wordBytes { word |= UInt64(text[unchecked: offset &+ index]) << (8 &* UInt64(index)) }
    return word
  }

  /// Returns a word whose lowest set bit is the highest bit of the lowest zero byte, or 0 if no byte is zero.
  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 {
    // The subtraction borrows from a zero byte. Bits above the first one may be wrong (Hacker's Delight, section 6-1).
    (word &- ones) & ~word & (ones &* 0x80)
  }
}
