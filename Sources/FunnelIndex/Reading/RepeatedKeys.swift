internal import FunnelDecoding

/// A filter for the keys that were inserted, and for those that were inserted more than once. A few other keys pass it by
/// chance.
///
/// Two bitmaps are indexed by the low bits of a key: one for keys that occur, one for keys that occur again.
struct RepeatedKeys: ~Copyable {
  /// The bitmap of keys that occur, then that of keys that occur again.
  private let words: UniqueArray<UInt64>
  /// The number of words of one bitmap.
  private let wordCount: Int
  /// The mask of the low bits of a key that index a bitmap.
  private let mask: UInt64

  /// The number of bits for each key. About one in this many other keys passes the filter.
  private static let bitsForKey = 16

  /// Creates an empty filter.
  ///
  /// - Parameter keyCount: The number of keys to come.
  init(keyCount: Int) {
    var bits = UInt64.bitWidth
    while bits < keyCount * Self.bitsForKey { bits *= 2 }
    assert(bits & (bits - 1) == 0, "a mask selects a bit")
    wordCount = bits / UInt64.bitWidth
    mask = UInt64(bits - 1)
    words = UniqueArray(repeating: 0, count: 2 * wordCount)
  }

  /// Creates a filter of the subjects of several runs.
  ///
  /// - Parameter runs: The keys of each run, each of which occurs once in its run.
  init(_ runs: [SubjectKeys]) {
    self.init(keyCount: runs.reduce(0) { $0 + $1.count })
    for keys in runs { for index in 0..<keys.count { insert(keys[index]) } }
  }

  /// Sets the bit of a key in the first bitmap, or in the second one too if it was set.
  @inline(__always)
  func insert(_ key: Hash128) {
    let (word, bit) = bit(of: key.low)
    words[wordCount &+ word] |= words[word] & bit
    words[word] |= bit
  }

  /// Returns whether a key may have been inserted.
  @inline(__always)
  func mayContain(_ key: Hash128) -> Bool {
    let (word, bit) = bit(of: key.low)
    return words[word] & bit != 0
  }

  /// Returns whether a key may have been inserted more than once.
  @inline(__always)
  func mayRepeat(_ key: Hash128) -> Bool {
    let (word, bit) = bit(of: key.low)
    return words[wordCount &+ word] & bit != 0
  }

  /// Returns the indices of a run's keys that may occur in several runs.
  func candidates(_ keys: SubjectKeys) -> [UInt32] {
    var candidates: [UInt32] = []
    for index in 0..<keys.count where mayRepeat(keys[index]) { candidates.append(UInt32(index)) }
    return candidates
  }

  /// Returns the index of a key's word in a bitmap, and the bit in that word.
  @inline(__always)
  private func bit(of low: UInt64) -> (word: Int, bit: UInt64) {
    let index = low & mask
    return (Int(truncatingIfNeeded: index >> 6), 1 << (index & 63))
  }
}
