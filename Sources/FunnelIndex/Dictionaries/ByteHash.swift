/// A fast hash of byte strings, for tables in memory.
///
/// The hash mixes words by 64 × 64 → 128-bit multiplications, the construction of wyhash (Wang Yi,
/// github.com/wangyi-fudan/wyhash). The last words overlap the ones before, so nothing is read past the end.
enum ByteHash {
  // `ByteWords` of FunnelIngest uses the same construction for bytes followed by padding. The pages of an index
  // and the keys of its dictionaries have no padding.

  private static let seed: UInt64 = 0x9E37_79B9_7F4A_7C15
  // Odd constants of wyhash with about as many ones as zeros.
  private static let loopSecret: UInt64 = 0xA076_1D64_78BD_642F
  private static let lastSecret: UInt64 = 0xE703_7ED1_A0B4_28DB
  private static let finalSecret: UInt64 = 0x8EBC_6AF0_9C88_C6E3

  /// Returns the hash of a byte string.
  static func hash(_ bytes: BorrowedBytes) -> UInt64 {
    let count = bytes.count
    var state: UInt64 = seed ^ UInt64(truncatingIfNeeded: count)
    guard count >= 8 else { return short(bytes, state) }
    var offset = 0
    while offset &+ 16 < count {
      state = fold(word(bytes, offset) ^ state, word(bytes, offset &+ 8) ^ loopSecret)
      offset &+= 16
    }
    let first = word(bytes, count > 16 ? count &- 16 : 0)
    return fold(fold(first ^ state, word(bytes, count &- 8) ^ lastSecret), finalSecret)
  }

  /// Returns whether two byte strings of the same length are equal.
  @inline(__always)
  static func areEqual(_ a: BorrowedBytes, _ b: BorrowedBytes) -> Bool {
    assert(a.count == b.count, "bytes of different lengths differ")
    var offset = 0
    while offset &+ 8 <= b.count {
      if word(a, offset) != word(b, offset) { return false }
      offset &+= 8
    }
    while offset < b.count {
      if a[offset] != b[offset] { return false }
      offset &+= 1
    }
    return true
  }

  /// Returns the hash of fewer than eight bytes.
  private static func short(_ bytes: BorrowedBytes, _ state: UInt64) -> UInt64 {
    var word: UInt64 = 0
    for offset in 0..<bytes.count { word = word << 8 | UInt64(bytes[offset]) }
    return fold(fold(word ^ state, lastSecret), finalSecret)
  }

  @inline(__always)
  private static func word(_ bytes: BorrowedBytes, _ offset: Int) -> UInt64 { bytes.load(at: offset, as: UInt64.self) }

  /// Returns the two halves of the 128-bit product, combined by XOR.
  @inline(__always)
  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
