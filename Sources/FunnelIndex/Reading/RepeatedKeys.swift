internal import FunnelIngest
internal import FunnelModel

/// Finds the keys that occur in several runs, and by chance a few others, with two bitmaps that are indexed by the keys' low bits: one of
/// the keys seen, one of those seen again in another run.
struct RepeatedKeys: ~Copyable {
  private let words: UnsafeMutablePointer<UInt64>
  private let wordCount: Int
  private let mask: UInt64

  /// The number of bits for each key: at most about one in this many keys is taken for a repeated one although it is not.
  private static let bitsForKey = 16

  init(_ runs: [UnsafeRawBufferPointer]) {
    let keyCount = runs.reduce(0) { $0 + $1.count / 16 }
    var bits = 64
    while bits < keyCount * Self.bitsForKey { bits *= 2 }
    (wordCount, mask) = (bits / 64, UInt64(bits - 1))
    words = .allocate(capacity: 2 * wordCount)
    words.initialize(repeating: 0, count: 2 * wordCount)
    // No key occurs twice in one run.
    for keys in runs { for index in 0..<UInt32(keys.count / 16) { note(keys.key(at: index).low) } }
  }

  deinit { words.deallocate() }

  @inline(__always)
  private func note(_ low: UInt64) {
    let (word, bit) = place(of: low)
    words[wordCount &+ word] |= words[word] & bit
    words[word] |= bit
  }

  /// Returns the indices of a run's keys that may occur in several runs.
  func candidates(_ keys: UnsafeRawBufferPointer) -> [UInt32] {
    var candidates: [UInt32] = []
    for index in 0..<UInt32(keys.count / 16) {
      let (word, bit) = place(of: keys.key(at: index).low)
      if words[wordCount &+ word] & bit != 0 { candidates.append(index) }
    }
    return candidates
  }

  @inline(__always)
  private func place(of low: UInt64) -> (word: Int, bit: UInt64) {
    let place = low & mask
    return (Int(truncatingIfNeeded: place >> 6), 1 << (place & 63))
  }
}

extension UnsafeRawBufferPointer {
  /// Returns one of the hashes in memory.
  @inline(__always)
  func key(at index: UInt32) -> Hash128 {
    let place = Int(index) &* 16
    return Hash128(
      high: loadUnaligned(fromByteOffset: place, as: UInt64.self),
      low: loadUnaligned(fromByteOffset: place &+ 8, as: UInt64.self))
  }
}
