internal import FunnelIngest
internal import FunnelModel

/// Tells of nearly all subjects that a partition of a run does not hold them, without searching for them: a set of bits, three for each subject,
/// all in one word (a blocked filter; Putze, Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters", 2007).
///
/// A long ingest asks each of its runs for each of its subjects; a search waits for memory some ten times, perhaps for the system to map it
/// too, this once. About one in fifty searches is for nothing.
final class SubjectFilter: Sendable {
  private let words: GrowingStorage<UInt64>
  private let mask: UInt64

  /// Subjects for each event that is asked for, up to which a filter is worth making: a small ingest into a large store is not to read all
  /// keys of it.
  static let subjectsForEvent = 2
  private static let bitsOfSubject = 8

  /// - Parameter keys: The subjects' keys, 16 bytes each.
  init(_ keys: UnsafeRawBufferPointer) {
    var bits: UInt64 = 64
    while bits < keys.count / 16 * Self.bitsOfSubject { bits *= 2 }
    mask = bits / 64 - 1
    var words = GrowingStorage<UInt64>(capacity: Int(bits / 64))
    words.extend(by: Int(bits / 64)).initialize(repeating: 0, count: Int(bits / 64))
    for offset in stride(from: 8, to: keys.count, by: 16) {
      let low = keys.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      words[Int(low & mask)] |= Self.bits(of: low)
    }
    self.words = words
  }

  /// The bits of a subject in its word, by a part of its hash that does not say which word that is.
  @inline(__always)
  private static func bits(of low: UInt64) -> UInt64 { 1 << (low >> 40 & 63) | 1 << (low >> 46 & 63) | 1 << (low >> 52 & 63) }

  /// Whether it may hold the subject; false where it does not.
  @inline(__always)
  func mayHold(_ key: Hash128) -> Bool {
    let bits = Self.bits(of: key.low)
    return words[Int(key.low & mask)] & bits == bits
  }
}
