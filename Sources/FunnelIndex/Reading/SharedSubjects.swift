internal import FunnelIngest
internal import FunnelModel

/// The subjects of a partition that are in several of its runs, by their indices among the subjects of each run.
///
/// A log grows with time and a subject's onboarding ends soon, so nearly all subjects are in one run only, and need not be searched for in
/// the others. Nothing changes once it is made.
final class SharedSubjects: Sendable {
  /// A subject in one of its runs.
  struct Occurrence: BitwiseCopyable {
    /// The index of the subject among those of the run.
    let subject: UInt32
    let run: UInt16
    /// Whether the subject is in no later run.
    let isLast: Bool
  }

  /// The shared subjects by key, each in each of its runs.
  let occurrences: [Occurrence]
  /// For each run, the indices of the shared subjects in it, ascending, followed by ``end``.
  private let indicesOfRuns: [[UInt32]]

  /// What follows a run's last shared subject: no subject has this index.
  static let end = UInt32.max

  /// - Parameter keys: The hashes of each run's subjects, 16 bytes each, ascending.
  init(_ keys: [UnsafeRawBufferPointer]) {
    var merge = KeyMerge(keys)
    var occurrences: [Occurrence] = []
    var indicesOfRuns = [[UInt32]](repeating: [], count: keys.count)
    while let runs = merge.next() {
      let isShared = runs & (runs &- 1) != 0
      var rest = runs
      while rest != 0 {
        let run = rest.trailingZeroBitCount
        rest &= rest &- 1
        if isShared {
          let index = merge.index(inRun: run)
          occurrences.append(Occurrence(subject: index, run: UInt16(run), isLast: rest == 0))
          indicesOfRuns[run].append(index)
        }
        merge.advance(run)
      }
    }
    self.occurrences = occurrences
    self.indicesOfRuns = indicesOfRuns.map { $0 + [Self.end] }
  }

  /// Returns the indices of the shared subjects in a run, ascending, followed by ``end``.
  func indices(inRun run: Int) -> [UInt32] { indicesOfRuns[run] }
}

/// Merges the keys of several runs that may be in more than one of them.
private struct KeyMerge {
  /// A run and the key it is at.
  private struct Cursor {
    let keys: UnsafeRawBufferPointer
    /// The indices of the keys that may be in other runs too.
    let candidates: [UInt32]
    var place = 0
    var key = Hash128(high: .max, low: .max)

    var isAtEnd: Bool { place == candidates.count }
    var index: UInt32 { candidates[place] }

    init(_ keys: UnsafeRawBufferPointer, candidates: [UInt32]) {
      (self.keys, self.candidates) = (keys, candidates)
      readKey()
    }

    mutating func advance() {
      place += 1
      readKey()
    }

    private mutating func readKey() {
      if !isAtEnd { key = keys.key(at: index) }
    }
  }

  private var cursors: [Cursor]

  init(_ keys: [UnsafeRawBufferPointer]) {
    precondition(keys.count <= UInt64.bitWidth, "each run has a bit")
    let repeated = RepeatedKeys(keys)
    cursors = keys.map { Cursor($0, candidates: repeated.candidates($0)) }
  }

  /// Returns the runs that are at the smallest key, one bit each; nil at the end.
  func next() -> UInt64? {
    var smallest: Hash128?
    var runs: UInt64 = 0
    for run in cursors.indices where !cursors[run].isAtEnd {
      let key = cursors[run].key
      if let smallest, smallest < key { continue }
      let bit: UInt64 = 1 << UInt64(run)
      runs = key == smallest ? runs | bit : bit
      smallest = key
    }
    return smallest == nil ? nil : runs
  }

  /// Returns the index of the subject at which a run is.
  func index(inRun run: Int) -> UInt32 { cursors[run].index }

  /// Advances a run to its next key.
  mutating func advance(_ run: Int) { cursors[run].advance() }
}

/// Finds the keys that occur in several runs, and by chance a few others, with two bitmaps that are indexed by the keys' low bits: one of
/// the keys seen, one of those seen again in another run.
private struct RepeatedKeys: ~Copyable {
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
  fileprivate func key(at index: UInt32) -> Hash128 {
    let place = Int(index) &* 16
    return Hash128(
      high: loadUnaligned(fromByteOffset: place, as: UInt64.self),
      low: loadUnaligned(fromByteOffset: place &+ 8, as: UInt64.self))
  }
}
