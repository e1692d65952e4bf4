extension Span<UInt8> {
  /// The number of bytes of a word.
  static var wordBytes: Int { 8 }

  /// Returns the little-endian word at an offset.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    assert(offset >= 0 && offset <= count &- Self.wordBytes, "the span contains the whole word")
    return UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// Returns the `byteCount` bytes at an offset as a little-endian word, padded with zeros. `byteCount` must be 1 to 8.
  @inline(__always)
  func word(at offset: Int, byteCount: Int) -> UInt64 {
    assert(byteCount >= 1 && byteCount <= Self.wordBytes, "a word has 1 to 8 bytes")
    assert(offset >= 0 && offset <= count &- byteCount, "the span contains the bytes")
    let end = offset &+ byteCount
    // Eight bytes that end with the last byte are all in the span, unless the bytes are among its first seven.
    if end >= Self.wordBytes {
      return word(at: end &- Self.wordBytes) &>> UInt64(truncatingIfNeeded: 8 &* (Self.wordBytes &- byteCount))
    }
    // Loads that overlap contain the same bytes in the same position of the word.
    if byteCount >= 4 {
      let last = halfWord(at: end &- 4) &<< UInt64(truncatingIfNeeded: 8 &* (byteCount &- 4))
      return halfWord(at: offset) | last
    }
    let middle = byteCount / 2
    return UInt64(self[unchecked: offset])
      | UInt64(self[unchecked: offset &+ middle]) &<< UInt64(truncatingIfNeeded: 8 &* middle)
      | UInt64(self[unchecked: end &- 1]) &<< UInt64(truncatingIfNeeded: 8 &* (byteCount &- 1))
  }

  @inline(__always)
  private func halfWord(at offset: Int) -> UInt64 {
    assert(offset >= 0 && offset <= count &- 4, "the span contains the bytes")
    return UInt64(UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self)))
  }
}
