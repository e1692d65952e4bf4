extension ByteWords {
  /// Whether a plus sign or a colon may be among bytes with padding behind them: told fast, and wrong where there is `*` or `;`.
  ///
  /// It is asked for the ids of every event. So longer texts are read sixteen bytes at a time, the last stride overlapping the one before.
  @inline(__always)
  static func mayHoldPlusOrColon(_ text: UnsafeRawBufferPointer) -> Bool {
    let (count, start) = (text.count, text.baseAddress!)
    guard count >= 16 else {
      if count == 0 { return false }
      let rest = count > 8 ? plusOrColon(in: word(start + 8, count: count &- 8)) : 0
      return (plusOrColon(in: word(start, count: min(count, 8))) | rest) & 0x8080_8080_8080_8080 != 0
    }
    var found = SIMD16<UInt8>()
    var offset = 0
    while offset &+ 16 < count {
      found |= plusOrColon(in: start + offset)
      offset &+= 16
    }
    found |= plusOrColon(in: start + (count &- 16))
    let words = unsafeBitCast(found, to: SIMD2<UInt64>.self)
    return words.x | words.y != 0
  }

  /// Ones for each of the sixteen bytes at a place that may be a plus sign or a colon.
  ///
  /// With the two bits set in which they differ, `*`, `+`, `:` and `;` are 0x3B, and no other byte is.
  @inline(__always)
  private static func plusOrColon(in bytes: UnsafeRawPointer) -> SIMD16<UInt8> {
    let signs = bytes.loadUnaligned(as: SIMD16<UInt8>.self) | 0x11
    return SIMD16<UInt8>(repeating: 0).replacing(with: 0xFF, where: signs .== 0x3B)
  }

  /// Sets the highest bit of a byte of the result if there is such a byte in the word.
  @inline(__always)
  private static func plusOrColon(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let difference = (word | (ones &* 0x11)) ^ (ones &* 0x3B)
    // Whether a byte of the difference is 0 (Hacker's Delight, section 6-1).
    return (difference &- ones) & ~difference
  }
}
