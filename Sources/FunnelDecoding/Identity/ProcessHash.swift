import FunnelModel

/// A fast 128-bit hash that is only valid in this process. It must not be written to a file or an output.
///
/// The keys are random for each process, so no input can be crafted to collide.
struct ProcessHash: Sendable {
  // The hash consists of two chains of full 64 × 64 → 128-bit multiplications, each with its own keys, as in wyhash (Wang
  // Yi, github.com/wangyi-fudan/wyhash). The probability of an accidental collision among 10⁹ subjects is below 10⁻¹⁸.

  /// The hash of this process.
  static let shared = ProcessHash()

  /// The keys of the chain that results in the high word.
  private let first: (UInt64, UInt64)
  /// The keys of the chain that results in the low word.
  private let second: (UInt64, UInt64)
  /// A random seed for other hashes.
  let seed: UInt64

  private init() {
    var random = SystemRandomNumberGenerator()
    first = (random.next(), random.next())
    second = (random.next(), random.next())
    seed = random.next()
  }

  /// Returns the hash of a byte string.
  @inline(__always)
  func hash(_ bytes: Span<UInt8>) -> Hash128 {
    let count = bytes.count
    var high = first.0 ^ UInt64(truncatingIfNeeded: count)
    var low = second.0
    var offset = 0
    while offset &+ 16 < count {
      let a = bytes.word(at: offset)
      let b = bytes.word(at: offset &+ 8)
      high = ByteWords.fold(a ^ high, b ^ first.1)
      low = ByteWords.fold(a ^ low, b ^ second.1)
      offset &+= 16
    }
    let remaining = count &- offset
    let a = remaining > 0 ? bytes.word(at: offset, byteCount: min(remaining, 8)) : 0
    let b = remaining > 8 ? bytes.word(at: offset &+ 8, byteCount: remaining &- 8) : 0
    high = ByteWords.fold(a ^ high, b ^ first.1)
    low = ByteWords.fold(a ^ low, b ^ second.1)
    return Hash128(high: ByteWords.fold(high ^ first.1, first.0), low: ByteWords.fold(low ^ second.1, second.0))
  }
}
