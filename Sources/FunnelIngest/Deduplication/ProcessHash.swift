import FunnelModel

/// A fast hash for tables that live no longer than the process: it must not be written to a file or an output.
///
/// Two chains of full 64 × 64 → 128-bit multiplications, as in wyhash (Wang Yi, github.com/wangyi-fudan/wyhash), each with its own keys.
/// The keys are random for each process, so no input can be crafted whose subjects collide; by accident, two of 10⁹ collide less often than
/// in one of 10¹⁸ reports.
struct ProcessHash: Sendable {
  /// The hash of this process.
  static let shared = ProcessHash()

  private let first: (UInt64, UInt64)
  private let second: (UInt64, UInt64)
  /// The seed for other hashes.
  let seed: UInt64

  private init() {
    var random = SystemRandomNumberGenerator()
    first = (random.next(), random.next())
    second = (random.next(), random.next())
    seed = random.next()
  }

  /// Returns the hash of a byte string, which padding must follow.
  @inline(__always)
  func hash(_ bytes: UnsafeRawBufferPointer) -> Hash128 {
    let count = bytes.count
    var (high, low) = (first.0 ^ UInt64(truncatingIfNeeded: count), second.0)
    guard let start = bytes.baseAddress else { return Hash128(high: high, low: low) }
    var offset = 0
    while offset &+ 16 < count {
      let (a, b) = (ByteWords.word(start + offset), ByteWords.word(start + offset + 8))
      high = ByteWords.fold(a ^ high, b ^ first.1)
      low = ByteWords.fold(a ^ low, b ^ second.1)
      offset &+= 16
    }
    let rest = count &- offset
    let a = rest > 0 ? ByteWords.word(start + offset, count: min(rest, 8)) : 0
    let b = rest > 8 ? ByteWords.word(start + offset + 8, count: rest &- 8) : 0
    high = ByteWords.fold(a ^ high, b ^ first.1)
    low = ByteWords.fold(a ^ low, b ^ second.1)
    return Hash128(high: ByteWords.fold(high ^ first.1, first.0), low: ByteWords.fold(low ^ second.1, second.0))
  }
}
