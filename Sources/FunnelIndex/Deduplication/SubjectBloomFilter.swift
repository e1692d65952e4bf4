internal import FunnelDecoding
internal import FunnelModel

/// A Bloom filter for the subjects of one partition of a sorted run. About one in fifty absent subjects passes it.
///
/// The filter sets three bits for each subject, all in one word (a blocked filter; Putze, Sanders and Singler,
/// "Cache-, hash- and space-efficient Bloom filters", 2007).
final class SubjectBloomFilter: Sendable {
  // A long ingest looks up each of its subjects in each run. A search costs about ten cache misses, and perhaps
  // page faults. The filter costs one cache miss.

  private let words: UniqueArray<UInt64>
  /// The mask of the hash bits that select a word.
  private let mask: UInt64

  /// The largest number of subjects of the partition for each event to look up. With more subjects no filter is
  /// built: a small ingest into a large store must not read all keys.
  static let subjectsForEvent = 2
  /// The least number of bits of the filter for each subject.
  private static let bitsOfSubject = 8
  private static let wordBits = UInt64(UInt64.bitWidth)

  /// Builds the filter of a partition.
  ///
  /// - Parameter keys: The keys of the partition.
  init(_ keys: SubjectKeys) {
    var bits = Self.wordBits
    while bits < keys.count * Self.bitsOfSubject { bits *= 2 }
    let wordCount = bits / Self.wordBits
    assert(wordCount & (wordCount - 1) == 0, "a mask selects a word")
    mask = wordCount - 1
    let words = UniqueArray<UInt64>(repeating: 0, count: Int(wordCount))
    for index in 0..<keys.count {
      let low = keys[index].low
      words[Int(low & mask)] |= Self.bits(of: low)
    }
    self.words = words
  }

  /// Returns the bits of a subject in its word. They come from hash bits that do not select the word.
  @inline(__always)
  private static func bits(of low: UInt64) -> UInt64 { 1 << (low >> 40 & 63) | 1 << (low >> 46 & 63) | 1 << (low >> 52 & 63) }

  /// Returns `false` if a subject is absent, and `true` if it may be present.
  @inline(__always)
  func mayHold(_ key: Hash128) -> Bool {
    let bits = Self.bits(of: key.low)
    return words[Int(key.low & mask)] & bits == bits
  }
}
