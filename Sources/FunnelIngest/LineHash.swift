/// A fast 64-bit hash of a line, to see that two lines are the same.
///
/// The words of the line are folded in by full 64 × 64 → 128-bit multiplications, the construction of wyhash (Wang Yi, github.com/wangyi-fudan/wyhash).
enum LineHash {
  static func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count)
    var offset = 0
    while offset + 16 <= bytes.count {
      state = fold(word(bytes, offset) ^ state, word(bytes, offset + 8) ^ 0xA076_1D64_78BD_642F)
      offset += 16
    }
    var rest: (UInt64, UInt64) = (0, 0)
    for index in offset..<bytes.count {
      let shifted = UInt64(bytes[index]) << UInt64((index - offset) % 8 * 8)
      if index - offset < 8 { rest.0 |= shifted } else { rest.1 |= shifted }
    }
    return fold(fold(rest.0 ^ state, rest.1 ^ 0xE703_7ED1_A0B4_28DB), 0x8EBC_6AF0_9C88_C6E3)
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
