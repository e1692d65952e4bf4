/// Reading bytes eight at a time. All of it reads up to seven bytes past the end: what is parsed has padding behind it.
enum ByteWords {
  /// The word at a place, of which only the first `count` bytes count, 1 to 8.
  @inline(__always)
  static func word(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) & mask(count)
  }

  /// The word at a place.
  @inline(__always)
  static func word(_ bytes: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  /// Ones in the first `count` bytes, 1 to 8.
  @inline(__always)
  static func mask(_ count: Int) -> UInt64 { ~0 >> (UInt64(truncatingIfNeeded: 8 &- count) &* 8 & 63) }

  /// Takes a byte string into a hash by full 64 × 64 → 128-bit multiplications, as wyhash does (Wang Yi, github.com/wangyi-fudan/wyhash).
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

  /// Like ``hash(_:count:seed:)``, for longer byte strings: two chains of multiplications run side by side.
  @inline(__always)
  static func longHash(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
    var (even, odd): (UInt64, UInt64) = (0, 0x8EBC_6AF0_9C88_C6E3)
    var offset = 0
    while offset &+ 32 < count {
      even = fold(word(bytes + offset) ^ even, word(bytes + offset + 8) ^ 0xA076_1D64_78BD_642F)
      odd = fold(word(bytes + offset + 16) ^ odd, word(bytes + offset + 24) ^ 0xE703_7ED1_A0B4_28DB)
      offset &+= 32
    }
    return hash(bytes + offset, count: count &- offset, seed: even ^ odd << 1)
  }

  @inline(__always)
  static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  /// Whether two byte strings of the same length are equal.
  @inline(__always)
  static func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, count: Int) -> Bool {
    var offset = 0
    while offset &+ 32 <= count {
      let difference =
        (word(a + offset) ^ word(b + offset)) | (word(a + offset + 8) ^ word(b + offset + 8))
        | (word(a + offset + 16) ^ word(b + offset + 16)) | (word(a + offset + 24) ^ word(b + offset + 24))
      if difference != 0 { return false }
      offset &+= 32
    }
    while offset &+ 8 < count {
      if word(a + offset) != word(b + offset) { return false }
      offset &+= 8
    }
    return offset >= count || (word(a + offset) ^ word(b + offset)) & mask(count &- offset) == 0
  }
}
