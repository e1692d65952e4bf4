/// A 128-bit hash: SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012) with a fixed key.
///
/// The probability of an accidental collision among 10⁹ keys is below 10⁻²⁰. The hash is the same on every machine.
@usableFromInline
package struct Hash128: Hashable, Comparable, BitwiseCopyable, Sendable {
  /// The high word.
  @usableFromInline package var high: UInt64
  /// The low word.
  @usableFromInline package var low: UInt64

  @inlinable @inline(__always)
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  // Both comparisons are inlined, because other modules call them for each event and each subject.
  @inlinable @inline(__always)
  package static func == (lhs: Hash128, rhs: Hash128) -> Bool { lhs.low == rhs.low && lhs.high == rhs.high }

  @inlinable @inline(__always)
  package static func < (lhs: Hash128, rhs: Hash128) -> Bool {
    lhs.high != rhs.high ? lhs.high < rhs.high : lhs.low < rhs.low
  }

  /// Creates the hash of one byte string.
  @inline(__always)
  package init(of bytes: Span<UInt8>) {
    var hasher = SipHasher()
    hasher.combine(bytes)
    self = hasher.finish()
  }

  /// Creates the identity by which events are deduplicated: a hash of an event's app, name, subject and ID.
  ///
  /// - Parameter appAndName: The hash of the app and the name.
  @inline(__always)
  init(ofEventWith appAndName: Hash128, subject: Span<UInt8>, id: Span<UInt8>) {
    var hasher = SipHasher()
    hasher.combine(appAndName.high)
    hasher.combine(appAndName.low)
    hasher.combine(subject)
    hasher.combine(id)
    self = hasher.finish()
  }

  @inlinable
  package func hash(into hasher: inout Hasher) { hasher.combine(low) }

  // The value is a hash already, so the standard library need not hash it again.
  @inline(__always)
  @inlinable
  package func _rawHashValue(seed: Int) -> Int { Int(truncatingIfNeeded: low) ^ seed }
}

/// Hashes a sequence of byte strings and words. The boundaries between byte strings are part of the hash.
package struct SipHasher {
  // The initial state, and 0xee and 0xdd below, are defined by SipHash with 128 bits of output.
  private var v0: UInt64 = 0x736f_6d65_7073_6575 ^ key0
  private var v1: UInt64 = 0x646f_7261_6e64_6f6d ^ key1 ^ 0xee
  private var v2: UInt64 = 0x6c79_6765_6e65_7261 ^ key0
  private var v3: UInt64 = 0x7465_6462_7974_6573 ^ key1
  /// The number of combined bytes.
  private var totalCount: UInt64 = 0

  /// The fixed key, "funnel-journeys." in ASCII.
  private static let key0: UInt64 = 0x6675_6e6e_656c_2d6a
  private static let key1: UInt64 = 0x6f75_726e_6579_732e

  /// Creates a hasher with the fixed key.
  package init() {}

  /// Combines a byte string and its length into the hash.
  @inline(__always)
  package mutating func combine(_ bytes: Span<UInt8>) {
    let count = bytes.count
    combine(UInt64(truncatingIfNeeded: count))
    var offset = 0
    while offset &+ 8 <= count {
      combine(bytes.word(at: offset))
      offset &+= 8
    }
    if offset < count { combine(bytes.word(at: offset, byteCount: count &- offset)) }
  }

  /// Combines one word into the hash.
  @inline(__always)
  package mutating func combine(_ word: UInt64) {
    totalCount &+= 8
    v3 ^= word
    round()
    v0 ^= word
  }

  /// Returns the hash of everything that was combined.
  package consuming func finish() -> Hash128 {
    combine(totalCount << 56)
    v2 ^= 0xee
    for _ in 0..<3 { round() }
    let low = v0 ^ v1 ^ v2 ^ v3
    v1 ^= 0xdd
    for _ in 0..<3 { round() }
    return Hash128(high: v0 ^ v1 ^ v2 ^ v3, low: low)
  }

  /// Performs one round of SipHash.
  @inline(__always)
  private mutating func round() {
    v0 = v0 &+ v1
    v1 = (v1 << 13 | v1 >> 51) ^ v0
    v0 = v0 << 32 | v0 >> 32
    v2 = v2 &+ v3
    v3 = (v3 << 16 | v3 >> 48) ^ v2
    v0 = v0 &+ v3
    v3 = (v3 << 21 | v3 >> 43) ^ v0
    v2 = v2 &+ v1
    v1 = (v1 << 17 | v1 >> 47) ^ v2
    v2 = v2 << 32 | v2 >> 32
  }
}
