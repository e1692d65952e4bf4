internal import FunnelStore
internal import FunnelModel

/// The runs of an ingest's last commits, which are held in memory only.
struct HeldRuns {
  /// A run, and the commit whose events it contains.
  struct Held {
    var run: SortedRun
    var commit: Int
  }

  /// Runs that are written as one run.
  struct Group {
    let commits: ClosedRange<Int>
    fileprivate let runs: [SortedRun]
    fileprivate let merger: RunMerger?

    /// Writes the runs as one.
    ///
    /// - Returns: The checksum of the resulting run.
    func write(to target: some RunTarget, threads: Int) throws(FunnelError) -> UInt32 {
      if let merger { return try merger.write(to: target, threads: threads) }
      try target.append(runs[0].bytes)
      return runs[0].checksum
    }
  }

  private(set) var runs: [Held] = []
  /// The last commit that was added, with or without events; 0 if there is none.
  private(set) var commit = 0
  /// The hash of that commit.
  private(set) var hash = ""
  private var byteCount = 0

  /// Whether the runs are as many, or as large, as should be held in memory.
  var isEnough: Bool { byteCount >= Limits.indexHeldBytesTarget || runs.count >= RunMerger.runsMax }

  /// Adds the events of the next commit; nil for a commit that added none to the log.
  mutating func append(_ run: SortedRun?, _ commit: Commit) {
    (self.commit, hash) = (commit.number, commit.hash)
    guard let run, run.eventCount > 0 else { return }
    runs.append(Held(run: run, commit: commit.number))
    byteCount += run.bytes.count
  }

  /// Returns the groups in which to write the runs: one, unless the runs have too many event types together.
  func groups() throws(FunnelError) -> [Group] {
    guard let first = runs.first, let last = runs.last else { return [] }
    if runs.count > 1 {
      let merger = try RunMerger(runs.map(\.run))
      if merger.isPossible { return [Group(commits: first.commit...last.commit, runs: [], merger: merger)] }
    }
    return runs.map { Group(commits: $0.commit...$0.commit, runs: [$0.run], merger: nil) }
  }
}
