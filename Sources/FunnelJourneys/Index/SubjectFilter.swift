internal import FunnelIngest
internal import FunnelModel

/// Tells of most subjects that a partition of a run does not hold them, without searching for them: a set of bits, one for each subject by
/// its hash (Bloom, "Space/time trade-offs in hash coding with allowable errors", 1970, with one hash).
///
/// A long ingest asks each of its runs for each of its subjects; a search waits for memory some ten times, this once.
final class SubjectFilter: Sendable {
  private let words: GrowingStorage<UInt64>
  private let mask: UInt64

  /// Subjects for each event that is asked for, up to which a filter is worth making: a small ingest into a large store is not to read all
  /// keys of it.
  static let subjectsForEvent = 2
  private static let bitsOfSubject = 16

  /// - Parameter keys: The subjects' keys, 16 bytes each.
  init(_ keys: UnsafeRawBufferPointer) {
    var bits: UInt64 = 64
    while bits < keys.count / 16 * Self.bitsOfSubject { bits *= 2 }
    mask = bits - 1
    var words = GrowingStorage<UInt64>(capacity: Int(bits / 64))
    words.extend(by: Int(bits / 64)).initialize(repeating: 0, count: Int(bits / 64))
    for offset in stride(from: 8, to: keys.count, by: 16) {
      let bit = keys.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & mask
      words[Int(bit / 64)] |= 1 << (bit % 64)
    }
    self.words = words
  }

  /// Whether it may hold the subject; false where it does not.
  @inline(__always)
  func mayHold(_ key: Hash128) -> Bool {
    let bit = key.low & mask
    return words[Int(bit / 64)] >> (bit % 64) & 1 == 1
  }
}
