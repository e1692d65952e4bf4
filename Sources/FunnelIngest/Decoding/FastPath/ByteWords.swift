/// Reads bytes eight at a time. Every function may read up to seven bytes past the end: text that is parsed is followed by padding.
enum ByteWords {
  /// Returns the word at a place, with all but its first `count` bytes cleared; `count` is 1 to 8.
  @inline(__always)
  static func word(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) & mask(count)
  }

  /// Returns the word at a place.
  @inline(__always)
  static func word(_ bytes: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  /// Returns a mask of the first `count` bytes, 1 to 8.
  @inline(__always)
  static func mask(_ count: Int) -> UInt64 { ~0 >> (UInt64(truncatingIfNeeded: 8 &- count) &* 8 & 63) }

  /// Returns a hash of a byte string by full 64 × 64 → 128-bit multiplications, as wyhash does (Wang Yi, github.com/wangyi-fudan/wyhash).
  @inline(__always)
  static func hash(_ bytes: UnsafeRawPointer, count: Int, seed: UInt64) -> UInt64 {
    var state = seed ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
    var offset = 0
    while offset &+ 16 < count {
      state = fold(word(bytes + offset) ^ state, word(bytes + offset + 8) ^ 0xA076_1D64_78BD_642F)
      offset &+= 16
    }
    let rest = count &- offset
    if rest > 8 {
      return fold(word(bytes + offset) ^ state, word(bytes + offset + 8, count: rest &- 8) ^ 0xE703_7ED1_A0B4_28DB)
    }
    return fold((rest > 0 ? word(bytes + offset, count: rest) : 0) ^ state, 0x8EBC_6AF0_9C88_C6E3)
  }

  /// Returns a hash of a longer byte string, like ``hash(_:count:seed:)`` but with four independent chains of multiplications. The last
  /// stride overlaps the one before, so that lengths which differ by a few bytes take the same branches: a branch misprediction costs more
  /// than a stride.
  @inline(__always)
  static func longHash(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
    guard count >= 64 else { return hash(bytes, count: count, seed: 0) }
    var (a, b, c, d): (UInt64, UInt64, UInt64, UInt64) = (
      UInt64(truncatingIfNeeded: count), 0x8EBC_6AF0_9C88_C6E3, 0x5896_5CC7_5374_CC35, 0x1D8E_4E27_C47D_124F
    )
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

  @inline(__always)
  static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  /// Returns whether two byte strings of the same length are equal. As in ``longHash(_:count:)``, the last stride of longer ones overlaps.
  @inline(__always)
  static func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, count: Int) -> Bool {
    if count >= 64 {
      var offset = 0
      while true {
        let (a, b) = (a + offset, b + offset)
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

  /// Returns the sixteen bytes at a place.
  @inline(__always)
  static func vector(_ bytes: UnsafeRawPointer) -> SIMD16<UInt8> { bytes.loadUnaligned(as: SIMD16<UInt8>.self) }

  /// Returns whether any bit of a vector is set. The compiler makes fewer instructions of this than of a comparison with zero.
  @inline(__always)
  static func hasBits(_ vector: SIMD16<UInt8>) -> Bool {
    let words = unsafeBitCast(vector, to: SIMD2<UInt64>.self)
    return words.x | words.y != 0
  }
}
