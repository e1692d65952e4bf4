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

  /// The sentinel behind a run's last index. No subject has it, because a run counts its subjects with 32 bits.
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
