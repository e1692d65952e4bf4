extension ByteWords {
  /// Returns whether bytes may contain a phone number, which is preceded by a plus sign or a colon. The test is fast, with false positives
  /// for `*` and `;`.
  ///
  /// It runs on the ids of every event, so it reads sixteen bytes at a time. The last stride overlaps the one before.
  @inline(__always)
  static func mayHoldPhoneNumber(_ text: UnsafeRawBufferPointer) -> Bool {
    // `+1234567` is the shortest phone number.
    guard text.count >= 8, let start = text.baseAddress else { return false }
    guard text.count >= 16 else {
      return (plusOrColon(word(start)) | plusOrColon(word(start + (text.count &- 8)))) & highBits != 0
    }
    var found = SIMD2<UInt64>()
    var offset = 0
    while offset &+ 16 < text.count {
      found |= plusOrColon(pair(start + offset))
      offset &+= 16
    }
    found |= plusOrColon(pair(start + (text.count &- 16)))
    return (found.x | found.y) & highBits != 0
  }

  private static var highBits: UInt64 { 0x8080_8080_8080_8080 }

  /// Sets the highest bit of a byte of the result if the word has a plus sign or a colon.
  ///
  /// With the two bits set in which plus sign and colon differ, `*`, `+`, `:` and `;` become 0x3B, and no other byte does. A zero byte is
  /// then found as in Hacker's Delight, section 6-1.
  @inline(__always)
  private static func plusOrColon(_ word: UInt64) -> UInt64 {
    let difference = (word | 0x1111_1111_1111_1111) ^ 0x3B3B_3B3B_3B3B_3B3B
    return (difference &- 0x0101_0101_0101_0101) & ~difference
  }

  /// Does the same for two words.
  @inline(__always)
  private static func plusOrColon(_ words: SIMD2<UInt64>) -> SIMD2<UInt64> {
    let difference = (words | SIMD2(repeating: 0x1111_1111_1111_1111)) ^ SIMD2(repeating: 0x3B3B_3B3B_3B3B_3B3B)
    return (difference &- SIMD2(repeating: 0x0101_0101_0101_0101)) & ~difference
  }
}
