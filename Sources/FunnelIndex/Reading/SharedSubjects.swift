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
    while var runs = merge.next() {
      let isShared = runs.count > 1
      while let run = runs.popFirst() {
        if isShared {
          let index = merge.index(inRun: run)
          occurrences.append(Occurrence(subject: index, run: UInt16(run), isLast: runs.isEmpty))
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
  private static let largestKey = Hash128(high: .max, low: .max)

  private let keys: [UnsafeRawBufferPointer]
  private let candidates: [[UInt32]]
  private var places: [Int]
  private var current: [Hash128]

  init(_ keys: [UnsafeRawBufferPointer]) {
    let repeated = RepeatedKeys(keys)
    self.keys = keys
    candidates = keys.map { keys in
      (0..<UInt32(keys.count / 16)).filter { repeated.mayHold(keys.key(at: $0).low) }
    }
    places = keys.map { _ in 0 }
    current = zip(keys, candidates).map { keys, candidates in candidates.first.map(keys.key) ?? Self.largestKey }
  }

  /// Returns the runs that are at the smallest key, ascending; nil at the end.
  func next() -> ArraySlice<Int>? {
    var smallest: Hash128?
    var runs: ArraySlice<Int> = []
    for run in keys.indices where places[run] < candidates[run].count {
      let key = current[run]
      if let smallest, smallest < key { continue }
      if key != smallest { runs.removeAll(keepingCapacity: true) }
      runs.append(run)
      smallest = key
    }
    return runs.isEmpty ? nil : runs
  }

  /// Returns the index of the subject at which a run is.
  func index(inRun run: Int) -> UInt32 { candidates[run][places[run]] }

  /// Advances a run to its next key.
  mutating func advance(_ run: Int) {
    places[run] += 1
    if places[run] < candidates[run].count { current[run] = keys[run].key(at: index(inRun: run)) }
  }
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

  /// Returns whether a key may occur in several runs.
  @inline(__always)
  func mayHold(_ low: UInt64) -> Bool {
    let (word, bit) = place(of: low)
    return words[wordCount &+ word] & bit != 0
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
