/// Finds the signs that the structure of JSON depends on.
enum JSONSigns {
  /// Returns the index of the next quote, bracket, brace or line feed outside of a string, or the end.
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

  /// Returns the index of the next quote, backslash or line feed, or the end. Seven bytes behind the end must be readable.
  ///
  /// It looks at eight bytes at a time: a byte equals a sign where their exclusive or is zero, and a zero is found by the borrow of a
  /// subtraction. The lowest one found is right; those above it need not be.
  @inline(__always)
  static func nextInString(in base: UnsafeMutablePointer<UInt8>, from start: Int, to end: Int) -> Int {
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

  /// Returns a word in which the high bit of each zero byte is set, up to the lowest.
  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & (ones &* 0x80) }
}
