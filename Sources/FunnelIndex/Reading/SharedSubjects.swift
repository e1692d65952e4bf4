internal import FunnelIngest
internal import FunnelModel

/// The subjects of one partition that are in several sorted runs, by their index in each run. Immutable.
final class SharedSubjects: Sendable {
  // A log grows with time, and the events of a subject are close together. Nearly all subjects are in one run
  // only, and are read without a comparison of keys.

  /// A subject in one of its runs.
  struct Occurrence: BitwiseCopyable {
    /// The index of the subject among those of the run.
    let subject: UInt32
    /// The index of the run.
    let run: UInt16
    /// Whether the subject is in no later run.
    let isLast: Bool
  }

  /// The occurrences of all shared subjects, in the order of their keys, then of the runs.
  let occurrences: [Occurrence]
  /// For each run, the indices of the shared subjects in it, ascending, followed by ``end``.
  private let indicesOfRuns: [[UInt32]]

  /// The sentinel after a run's last index. No subject has this index, because a run counts its subjects with 32 bits.
  static let end = UInt32.max

  /// Finds the shared subjects.
  ///
  /// - Parameter keys: The key section of the partition in each run.
  init(_ keys: [UnsafeRawBufferPointer]) {
    var merge = KeyMerge(keys)
    var occurrences: [Occurrence] = []
    var indicesOfRuns = [[UInt32]](repeating: [], count: keys.count)
    while let runs = merge.next() {
      let isShared = runs & (runs &- 1) != 0
      var remaining = runs
      while remaining != 0 {
        let run = remaining.trailingZeroBitCount
        remaining &= remaining &- 1
        if isShared {
          let index = merge.index(inRun: run)
          occurrences.append(Occurrence(subject: index, run: UInt16(run), isLast: remaining == 0))
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

/// A merge of the sorted keys of several runs, limited to those that may be in more than one run.
private struct KeyMerge {
  /// The position in the keys of one run.
  private struct Cursor {
    let keys: UnsafeRawBufferPointer
    /// The indices of the keys that may be in other runs too.
    let candidates: [UInt32]
    private var position = 0
    /// The current key; invalid at the end.
    private(set) var key = Hash128(high: .max, low: .max)

    /// Whether there is no current key.
    var isAtEnd: Bool { position == candidates.count }
    /// The index of the current key among all keys of the run.
    var index: UInt32 { candidates[position] }

    init(_ keys: UnsafeRawBufferPointer, candidates: [UInt32]) {
      self.keys = keys
      self.candidates = candidates
      readKey()
    }

    /// Advances to the next key.
    mutating func advance() {
      position += 1
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

  /// Returns the runs whose current key is the smallest, one bit each, or `nil` at the end.
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

  /// Returns the index of a run's current subject.
  func index(inRun run: Int) -> UInt32 { cursors[run].index }

  /// Advances a run to its next key.
  mutating func advance(_ run: Int) { cursors[run].advance() }
}
