/// Finds the structural characters of JSON.
enum JSONSigns {
  /// Returns the index of the next quote, bracket, brace or line feed, or `end` if there is none. The start
  /// must be outside of a string.
  @inline(__always)
  static func next(in base: UnsafeMutablePointer<UInt8>, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end {
      let byte = base[index]
      // Brackets and braces differ in one bit, 0x20.
      if byte == 0x22 || byte == 0x0A || byte | 0x20 == 0x7B || byte | 0x20 == 0x7D { return index }
      index &+= 1
    }
    return end
  }

  /// Returns the index of the next quote, backslash or line feed, or `end` if there is none. Seven bytes after
  /// `end` must be readable.
  @inline(__always)
  static func nextInString(in base: UnsafeMutablePointer<UInt8>, from start: Int, to end: Int) -> Int {
    // The search compares eight bytes at a time: the exclusive or of equal bytes is zero.
    var index = start
    while index < end {
      let word = UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
      let found = zeros(word ^ quotes) | zeros(word ^ backslashes) | zeros(word ^ lineFeeds)
      if found != 0 { return min(index &+ found.trailingZeroBitCount / 8, end) }
      index &+= 8
    }
    return end
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let quotes = ones &* 0x22
  private static let backslashes = ones &* 0x5C
  private static let lineFeeds = ones &* 0x0A

  /// Returns a word whose lowest set bit is the highest bit of the lowest zero byte, or 0 if no byte is zero.
  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 {
    // The subtraction borrows from a zero byte. Bits above the first one may be wrong (Hacker's Delight, section 6-1).
    (word &- ones) & ~word & (ones &* 0x80)
  }
}
