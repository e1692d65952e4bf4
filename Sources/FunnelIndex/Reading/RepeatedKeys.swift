internal import FunnelIngest
internal import FunnelModel

/// A filter for the subject keys that occur in several sorted runs. A few other keys pass it by chance.
///
/// Two bitmaps are indexed by the low bits of a key: one for keys that occur, one for keys that occur again in
/// another run.
struct RepeatedKeys: ~Copyable {
  /// The bitmap of keys that occur, then that of keys that occur again.
  private let words: UnsafeMutablePointer<UInt64>
  /// The number of words of one bitmap.
  private let wordCount: Int
  /// The mask of the low bits of a key that index a bitmap.
  private let mask: UInt64

  /// The number of bits for each key. About one in this many other keys passes the filter.
  private static let bitsForKey = 16

  /// Builds the filter.
  ///
  /// - Parameter runs: The keys of each run, each of which occurs once in its run.
  init(_ runs: [UnsafeRawBufferPointer]) {
    let keyCount = runs.reduce(0) { $0 + $1.count / IndexFormat.keyBytes }
    var bits = UInt64.bitWidth
    while bits < keyCount * Self.bitsForKey { bits *= 2 }
    wordCount = bits / UInt64.bitWidth
    mask = UInt64(bits - 1)
    words = .allocate(capacity: 2 * wordCount)
    words.initialize(repeating: 0, count: 2 * wordCount)
    for keys in runs { for index in 0..<UInt32(keys.count / IndexFormat.keyBytes) { insert(keys.key(at: index).low) } }
  }

  deinit { words.deallocate() }

  /// Sets the bit of a key in the first bitmap, or in the second one too if it was set.
  @inline(__always)
  private func insert(_ low: UInt64) {
    let (word, bit) = position(of: low)
    words[wordCount &+ word] |= words[word] & bit
    words[word] |= bit
  }

  /// Returns the indices of a run's keys that may occur in several runs.
  func candidates(_ keys: UnsafeRawBufferPointer) -> [UInt32] {
    var candidates: [UInt32] = []
    for index in 0..<UInt32(keys.count / IndexFormat.keyBytes) {
      let (word, bit) = position(of: keys.key(at: index).low)
      if words[wordCount &+ word] & bit != 0 { candidates.append(index) }
    }
    return candidates
  }

  /// Returns the word of a key in a bitmap, and the bit in that word.
  @inline(__always)
  private func position(of low: UInt64) -> (word: Int, bit: UInt64) {
    let index = low & mask
    return (Int(truncatingIfNeeded: index >> 6), 1 << (index & 63))
  }
}

extension UnsafeRawBufferPointer {
  /// Returns one of the subject keys in a section `keys`.
  @inline(__always)
  func key(at index: UInt32) -> Hash128 {
    let offset = Int(index) &* IndexFormat.keyBytes
    return Hash128(
      high: loadUnaligned(fromByteOffset: offset, as: UInt64.self),
      low: loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self))
  }
}
