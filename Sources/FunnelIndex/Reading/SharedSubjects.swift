/// The subjects of a partition that may be in several runs: all that are, and by chance a few others.
///
/// A log grows with time and a subject's onboarding ends soon, so nearly all subjects are in one run only, and need not be searched for in
/// the others. Two bitmaps are indexed by the low bits of a subject's hash: one of the subjects seen, one of those seen again in another
/// run. Nothing changes once it is made.
final class SharedSubjects: Sendable {
  private nonisolated(unsafe) let words: UnsafeMutablePointer<UInt64>
  private let wordCount: Int
  private let mask: UInt64

  /// The number of bits for each subject: at most about one in this many unshared subjects is taken for a shared one.
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
      // No key occurs twice in one run.
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

  /// Returns whether a subject may be in several runs.
  ///
  /// - Parameter low: The low word of its hash.
  @inline(__always)
  func mayHold(_ low: UInt64) -> Bool {
    let (word, bit) = place(of: low)
    return words[wordCount &+ word] & bit != 0
  }
}
