/// Hashes and compares byte strings eight or sixteen bytes at a time, which may read their padding.
enum ByteWords {
  /// Returns a mask of the first `count` bytes of a word. `count` must be 1 to 8.
  @inline(__always)
  static func mask(_ count: Int) -> UInt64 {
    assert(count >= 1 && count <= 8, "a word has 1 to 8 bytes")
    // The conjunction with 63 removes a check: the shift is at most 56.
    return ~0 >> (UInt64(truncatingIfNeeded: 8 &- count) &* 8 & 63)
  }

  /// Returns a hash of a byte string, computed like wyhash (Wang Yi, github.com/wangyi-fudan/wyhash) by full 64
  /// × 64 → 128-bit multiplications. It is the same on every machine.
  @inline(__always)
  static func hash(_ text: PaddedText, seed: UInt64) -> UInt64 {
    var state = seed ^ UInt64(truncatingIfNeeded: text.count) &* 0x9E37_79B9_7F4A_7C15
    var offset = 0
    while offset &+ 16 < text.count {
      state = fold(text.word(at: offset) ^ state, text.word(at: offset &+ 8) ^ 0xA076_1D64_78BD_642F)
      offset &+= 16
    }
    let remainder = text.count &- offset
    if remainder > 8 {
      return fold(
        text.word(at: offset) ^ state, text.word(at: offset &+ 8, byteCount: remainder &- 8) ^ 0xE703_7ED1_A0B4_28DB)
    }
    return fold((remainder > 0 ? text.word(at: offset, byteCount: remainder) : 0) ^ state, 0x8EBC_6AF0_9C88_C6E3)
  }

  /// Returns a hash of a longer byte string. It is like ``hash(_:seed:)``, but with four independent
  /// chains of multiplications.
  @inline(__always)
  static func longHash(_ text: PaddedText) -> UInt64 {
    guard text.count >= strideBytes else { return hash(text, seed: 0) }
    var a = UInt64(truncatingIfNeeded: text.count)
    var b: UInt64 = 0x8EBC_6AF0_9C88_C6E3
    var c: UInt64 = 0x5896_5CC7_5374_CC35
    var d: UInt64 = 0x1D8E_4E27_C47D_124F
    // The last stride overlaps the one before. Lengths that differ by a few bytes thus take the same branches:
    // a misprediction costs more than a stride.
    var offset = 0
    while true {
      a = fold(text.word(at: offset) ^ a, text.word(at: offset &+ 8) ^ 0xA076_1D64_78BD_642F)
      b = fold(text.word(at: offset &+ 16) ^ b, text.word(at: offset &+ 24) ^ 0xE703_7ED1_A0B4_28DB)
      c = fold(text.word(at: offset &+ 32) ^ c, text.word(at: offset &+ 40) ^ 0xA076_1D64_78BD_642F)
      d = fold(text.word(at: offset &+ 48) ^ d, text.word(at: offset &+ 56) ^ 0xE703_7ED1_A0B4_28DB)
      if offset &+ strideBytes >= text.count { break }
      offset = min(offset &+ strideBytes, text.count &- strideBytes)
    }
    return fold(a ^ b << 1, c ^ d << 1)
  }

  /// The number of bytes that are hashed or compared in one pass of a loop over a longer byte string.
  private static let strideBytes = 64

  /// Returns the exclusive or of both halves of a 128-bit product.
  @inline(__always)
  static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  /// Whether two byte strings are equal.
  @inline(__always)
  static func areEqual(_ a: PaddedText, _ b: PaddedText) -> Bool {
    guard a.count == b.count else { return false }
    if a.count >= strideBytes {
      // As in `longHash`, the last stride overlaps the one before.
      var offset = 0
      while true {
        let first = differences(a, b, at: offset) | differences(a, b, at: offset &+ 16)
        let second = differences(a, b, at: offset &+ 32) | differences(a, b, at: offset &+ 48)
        if hasBits(first | second) { return false }
        if offset &+ strideBytes >= a.count { return true }
        offset = min(offset &+ strideBytes, a.count &- strideBytes)
      }
    }
    var offset = 0
    while offset &+ 8 < a.count {
      if a.word(at: offset) != b.word(at: offset) { return false }
      offset &+= 8
    }
    return offset >= a.count || (a.word(at: offset) ^ b.word(at: offset)) & mask(a.count &- offset) == 0
  }

  /// Returns the bits in which the sixteen bytes at an offset differ.
  @inline(__always)
  private static func differences(_ a: PaddedText, _ b: PaddedText, at offset: Int) -> SIMD16<UInt8> {
    a.vector(at: offset) ^ b.vector(at: offset)
  }

  /// Whether any bit of a vector is set.
  @inline(__always)
  static func hasBits(_ vector: SIMD16<UInt8>) -> Bool {
    // This compiles to fewer instructions than a comparison of vectors.
    let words = unsafeBitCast(vector, to: SIMD2<UInt64>.self)
    return words.x | words.y != 0
  }
}

extension ByteWords {
  /// Whether a text may contain an e-mail address or a phone number: a fast check with false positives.
  @inline(__always)
  static func mayHoldPersonalData(_ text: PaddedText) -> Bool {
    // An e-mail address contains an at sign. A plus sign or a colon precedes a phone number.
    text.count >= personalBytesMin && hasHighBit(in: text, after: signs)
  }

  /// The length of the shortest e-mail address, `a@b.cc`. Every phone number is longer.
  private static let personalBytesMin = 6

  /// Whether all bytes are ASCII, and none is DEL.
  @inline(__always)
  static func arePlainASCII(_ text: PaddedText) -> Bool { text.isEmpty || !hasHighBit(in: text, after: unusual) }

  /// Whether a function of the bytes sets the highest bit of any byte.
  ///
  /// - Parameters:
  ///   - text: At least one byte.
  ///   - function: A function that computes each byte of its result from the same byte of its argument. It must not set
  ///     the highest bit for a zero byte.
  @inline(__always)
  private static func hasHighBit(in text: PaddedText, after function: (SIMD16<UInt8>) -> SIMD16<UInt8>) -> Bool {
    // This runs on the IDs of every event, so it reads 16 bytes at a time. The last vector overlaps the one before.
    assert(!text.isEmpty, "the text has a byte")
    var found: SIMD16<UInt8>
    if text.count >= 16 {
      found = function(text.vector(at: text.count &- 16))
      var offset = 0
      while offset &+ 16 < text.count {
        found |= function(text.vector(at: offset))
        offset &+= 16
      }
    } else {
      let head = text.word(at: 0, byteCount: min(text.count, 8))
      let tail = text.count > 8 ? text.word(at: text.count &- 8) : 0
      found = function(unsafeBitCast(SIMD2(head, tail), to: SIMD16<UInt8>.self))
    }
    return hasBits(found & SIMD16(repeating: 0x80))
  }

  /// The result of comparing bytes. The compiler vectorizes a comparison only if its result is declared with this type.
  private typealias Mask = SIMDMask<SIMD16<Int8>>

  /// Returns 0xFF for each byte that is an at sign, a plus sign or a colon, and 0 for the others.
  @inline(__always)
  private static func signs(_ bytes: SIMD16<UInt8>) -> SIMD16<UInt8> {
    let at: Mask = bytes .== SIMD16(repeating: UInt8(ascii: "@"))
    let plus: Mask = bytes .== SIMD16(repeating: UInt8(ascii: "+"))
    let colon: Mask = bytes .== SIMD16(repeating: UInt8(ascii: ":"))
    return unsafeBitCast(at .| plus .| colon, to: SIMD16<UInt8>.self)
  }

  /// Sets the highest bit of each byte that is DEL or not ASCII.
  @inline(__always)
  private static func unusual(_ bytes: SIMD16<UInt8>) -> SIMD16<UInt8> {
    // Adding 1 to DEL (0x7F) sets the highest bit. Bytes that are not ASCII have it.
    bytes | (bytes &+ SIMD16(repeating: 1))
  }
}
