internal import FunnelDecoding
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
  /// For each run, the indices of the shared subjects in it, ascending.
  private let indicesOfRuns: [[UInt32]]

  /// Finds the shared subjects.
  ///
  /// - Parameter keys: The keys of the partition in each run.
  init(_ keys: [SubjectKeys]) {
    var merge = KeyMerge(keys)
    var occurrences: [Occurrence] = []
    var indicesOfRuns = [[UInt32]](repeating: [], count: keys.count)
    while let runs = merge.next() {
      for run in runs {
        if runs.hasSeveral {
          let index = merge.index(inRun: run)
          occurrences.append(Occurrence(subject: index, run: UInt16(run), isLast: run == runs.last))
          indicesOfRuns[run].append(index)
        }
        merge.advance(run)
      }
    }
    self.occurrences = occurrences
    self.indicesOfRuns = indicesOfRuns
  }

  /// Returns the indices of the shared subjects in a run, ascending.
  func indices(inRun run: Int) -> [UInt32] { indicesOfRuns[run] }
}

/// A merge of the sorted keys of several runs, limited to those that may be in more than one run.
private struct KeyMerge {
  /// A cursor over the keys of one run.
  private struct Cursor {
    let keys: SubjectKeys
    /// The indices of the keys that may be in other runs too.
    let candidates: [UInt32]
    private var candidate = 0
    /// The current key, or `nil` at the end.
    private(set) var key: Hash128?

    /// The index of the current key among all keys of the run.
    var index: UInt32 { candidates[candidate] }

    init(_ keys: SubjectKeys, candidates: [UInt32]) {
      self.keys = keys
      self.candidates = candidates
      readKey()
    }

    /// Advances to the next key.
    mutating func advance() {
      candidate += 1
      readKey()
    }

    private mutating func readKey() {
      key = candidate < candidates.count ? keys[Int(index)] : nil
    }
  }

  private var cursors: [Cursor]

  init(_ keys: [SubjectKeys]) {
    precondition(keys.count <= ReaderSet.readersMax, "each run has a bit")
    let repeated = RepeatedKeys(keys)
    cursors = keys.map { Cursor($0, candidates: repeated.candidates($0)) }
  }

  /// Returns the runs whose current key is the smallest, or `nil` at the end.
  func next() -> ReaderSet? {
    var smallest: Hash128?
    var runs = ReaderSet()
    for run in cursors.indices {
      guard let key = cursors[run].key else { continue }
      if let smallest, smallest < key { continue }
      if key != smallest { runs = ReaderSet() }
      runs.insert(run)
      smallest = key
    }
    return runs.isEmpty ? nil : runs
  }

  /// Returns the index of a run's current subject.
  func index(inRun run: Int) -> UInt32 { cursors[run].index }

  /// Advances a run to its next key.
  mutating func advance(_ run: Int) { cursors[run].advance() }
}
