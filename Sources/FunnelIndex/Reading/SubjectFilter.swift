internal import FunnelIngest
internal import FunnelModel

/// A filter that rules out nearly all subjects absent from a partition of a run, without searching for them. It sets three bits for each
/// subject, all in one word (a blocked filter; Putze, Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters", 2007).
///
/// A long ingest looks up each of its subjects in each of its runs. A search costs about ten cache misses, and perhaps page faults; the
/// filter costs one. About one in fifty absent subjects passes the filter.
final class SubjectFilter: Sendable {
  private let words: GrowingStorage<UInt64>
  private let mask: UInt64

  /// The largest number of subjects per looked-up event for which a filter is built: a small ingest into a large store must not read all of
  /// its keys.
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

  /// Returns the bits of a subject in its word, taken from a part of its hash that does not select the word.
  @inline(__always)
  private static func bits(of low: UInt64) -> UInt64 { 1 << (low >> 40 & 63) | 1 << (low >> 46 & 63) | 1 << (low >> 52 & 63) }

  /// Returns whether the subject may be present; false means that it is absent.
  @inline(__always)
  func mayHold(_ key: Hash128) -> Bool {
    let bits = Self.bits(of: key.low)
    return words[Int(key.low & mask)] & bits == bits
  }
}
