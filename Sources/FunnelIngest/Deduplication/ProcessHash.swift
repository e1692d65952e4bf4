import FunnelModel

/// A fast hash for tables that live no longer than the process: nothing of it may reach a file or an output.
///
/// Two chains of full 64 × 64 → 128-bit multiplications, as in wyhash (Wang Yi, github.com/wangyi-fudan/wyhash), each with keys of its own. The
/// keys are drawn anew for each process, so no input can be made whose subjects fall together; by accident two of 10⁹ do less often than in
/// one of 10¹⁸ reports.
struct ProcessHash: Sendable {
  /// The one of this process.
  static let shared = ProcessHash()

  private let first: (UInt64, UInt64)
  private let second: (UInt64, UInt64)
  /// A number to begin other hashes with.
  let seed: UInt64

  private init() {
    var random = SystemRandomNumberGenerator()
    first = (random.next(), random.next())
    second = (random.next(), random.next())
    seed = random.next()
  }

  /// The hash of a byte string behind which there is padding.
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
