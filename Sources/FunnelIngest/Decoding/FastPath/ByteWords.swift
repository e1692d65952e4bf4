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
