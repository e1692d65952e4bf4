/// Tells of the subjects of a partition which may be in several runs: those that are, and by chance few others.
///
/// A log grows with time and a subject's onboarding is over soon, so nearly all are in one run alone; and who is need not be looked for in
/// the others. Two maps of bits, by the low bits of a subject's hash: which were met, and which again in another run.
struct SharedSubjects: ~Copyable {
  private let words: UnsafeMutablePointer<UInt64>
  private let wordCount: Int
  private let mask: UInt64

  /// Bits for each subject: of those that are alone one in so many is taken for one that is not.
  private static let bitsForSubject = 16

  /// - Parameter keys: The hashes of each run's subjects, 16 bytes each.
  init(_ keys: [UnsafeRawBufferPointer]) {
    let subjects = keys.reduce(0) { $0 + $1.count / 16 }
    var bits = 64
    while bits < subjects * Self.bitsForSubject { bits *= 2 }
    (wordCount, mask) = (bits / 64, UInt64(bits - 1))
    words = .allocate(capacity: 2 * wordCount)
    words.initialize(repeating: 0, count: 2 * wordCount)
    for keys in keys {
      guard let base = keys.baseAddress else { continue }
      // No key is in one run twice.
      for subject in 0..<keys.count / 16 { note(base.loadUnaligned(fromByteOffset: subject &* 16 &+ 8, as: UInt64.self)) }
    }
  }

  deinit { words.deallocate() }

  @inline(__always)
  private func note(_ low: UInt64) {
    let (word, bit) = place(of: low)
    words[wordCount &+ word] |= words[word] & bit
    words[word] |= bit
  }

  @inline(__always)
  private func place(of low: UInt64) -> (word: Int, bit: UInt64) {
    let place = low & mask
    return (Int(truncatingIfNeeded: place >> 6), 1 << (place & 63))
  }

  /// Whether a subject may be in several runs.
  ///
  /// - Parameter low: The low word of its hash.
  @inline(__always)
  func mayHold(_ low: UInt64) -> Bool {
    let (word, bit) = place(of: low)
    return words[wordCount &+ word] & bit != 0
  }
}
