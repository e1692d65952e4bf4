/// Hashes and compares byte strings eight or sixteen bytes at a time.
///
/// Every function may read up to seven bytes past the end of a byte string, so the bytes must be followed by padding.
enum ByteWords {
  /// Returns the little-endian word at an address, with all but its first `count` bytes cleared. `count` must
  /// be 1 to 8.
  @inline(__always)
  static func word(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) & mask(count)
  }

  /// Returns the little-endian word at an address.
  @inline(__always)
  static func word(_ bytes: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
  }

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
  static func hash(_ bytes: UnsafeRawPointer, count: Int, seed: UInt64) -> UInt64 {
    var state = seed ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
    var offset = 0
    while offset &+ 16 < count {
      state = fold(word(bytes + offset) ^ state, word(bytes + offset + 8) ^ 0xA076_1D64_78BD_642F)
      offset &+= 16
    }
    let remainder = count &- offset
    if remainder > 8 {
      return fold(word(bytes + offset) ^ state, word(bytes + offset + 8, count: remainder &- 8) ^ 0xE703_7ED1_A0B4_28DB)
    }
    return fold((remainder > 0 ? word(bytes + offset, count: remainder) : 0) ^ state, 0x8EBC_6AF0_9C88_C6E3)
  }

  /// Returns a hash of a longer byte string. It is like ``hash(_:count:seed:)``, but with four independent
  /// chains of multiplications.
  @inline(__always)
  static func longHash(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
    guard count >= 64 else { return hash(bytes, count: count, seed: 0) }
    var a = UInt64(truncatingIfNeeded: count)
    var b: UInt64 = 0x8EBC_6AF0_9C88_C6E3
    var c: UInt64 = 0x5896_5CC7_5374_CC35
    var d: UInt64 = 0x1D8E_4E27_C47D_124F
    // The last stride overlaps the one before. Lengths that differ by a few bytes thus take the same branches:
    // a misprediction costs more than a stride.
    var offset = 0
    while true {
      let bytes = bytes + offset
      a = fold(word(bytes) ^ a, word(bytes + 8) ^ 0xA076_1D64_78BD_642F)
      b = fold(word(bytes + 16) ^ b, word(bytes + 24) ^ 0xE703_7ED1_A0B4_28DB)
      c = fold(word(bytes + 32) ^ c, word(bytes + 40) ^ 0xA076_1D64_78BD_642F)
      d = fold(word(bytes + 48) ^ d, word(bytes + 56) ^ 0xE703_7ED1_A0B4_28DB)
      if offset &+ 64 >= count { break }
      offset = min(offset &+ 64, count &- 64)
    }
    return fold(a ^ b << 1, c ^ d << 1)
  }

  /// Returns the exclusive or of both halves of a 128-bit product.
  @inline(__always)
  static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  /// Whether two byte strings of the same length are equal.
  @inline(__always)
  static func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, count: Int) -> Bool {
    if count >= 64 {
      // As in `longHash`, the last stride overlaps the one before.
      var offset = 0
      while true {
        let a = a + offset
        let b = b + offset
        let first = (vector(a) ^ vector(b)) | (vector(a + 16) ^ vector(b + 16))
        let second = (vector(a + 32) ^ vector(b + 32)) | (vector(a + 48) ^ vector(b + 48))
        if hasBits(first | second) { return false }
        if offset &+ 64 >= count { return true }
        offset = min(offset &+ 64, count &- 64)
      }
    }
    var offset = 0
    while offset &+ 8 < count {
      if word(a + offset) != word(b + offset) { return false }
      offset &+= 8
    }
    return offset >= count || (word(a + offset) ^ word(b + offset)) & mask(count &- offset) == 0
  }

  /// Returns the sixteen bytes at an address.
  @inline(__always)
  static func vector(_ bytes: UnsafeRawPointer) -> SIMD16<UInt8> { bytes.loadUnaligned(as: SIMD16<UInt8>.self) }

  /// Whether any bit of a vector is set.
  @inline(__always)
  static func hasBits(_ vector: SIMD16<UInt8>) -> Bool {
    // This compiles to fewer instructions than a comparison of vectors.
    let words = unsafeBitCast(vector, to: SIMD2<UInt64>.self)
    return words.x | words.y != 0
  }
}

extension ByteWords {
  /// Whether a text may contain an e-mail address or a phone number: a fast check with false positives. At
  /// least seven bytes after the text must be readable.
  @inline(__always)
  static func mayHoldPersonalData(_ text: UnsafeRawBufferPointer) -> Bool {
    // An e-mail address contains an at sign. A plus sign or a colon precedes a phone number.
    text.count >= personalBytesMin && hasHighBit(in: text, after: signs)
  }

  /// The length of the shortest e-mail address, `a@b.cc`. Every phone number is longer.
  private static let personalBytesMin = 6

  /// Whether all bytes are ASCII, and none is DEL. At least seven bytes after the text must be readable.
  @inline(__always)
  static func arePlainASCII(_ text: UnsafeRawBufferPointer) -> Bool { text.count == 0 || !hasHighBit(in: text, after: unusual) }

  /// Whether a function of the bytes sets the highest bit of any byte.
  ///
  /// - Parameters:
  ///   - text: At least one byte.
  ///   - function: A function that computes each byte of its result from the same byte of its argument. It must
  ///     not set the highest bit
  ///     for a zero byte.
  @inline(__always)
  private static func hasHighBit(
    in text: UnsafeRawBufferPointer, after function: (SIMD16<UInt8>) -> SIMD16<UInt8>
  ) -> Bool {
    // This runs on the IDs of every event, so it reads 16 bytes at a time. The last vector overlaps the one before.
    guard let start = text.baseAddress else { return false }
    assert(text.count > 0, "the text is empty")
    var found: SIMD16<UInt8>
    if text.count >= 16 {
      found = function(vector(start + (text.count &- 16)))
      var offset = 0
      while offset &+ 16 < text.count {
        found |= function(vector(start + offset))
        offset &+= 16
      }
    } else {
      let head = word(start, count: min(text.count, 8))
      let tail = text.count > 8 ? word(start + (text.count &- 8)) : 0
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
