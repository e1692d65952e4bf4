internal import FunnelStore
internal import FunnelModel

/// The sorted runs of an ingest's last commits, which are in memory and not yet on the disk.
struct HeldRuns {
  /// A run, and the commit whose events it contains.
  struct Held {
    var run: SortedRun
    var commit: Int
  }

  /// The runs of consecutive commits, which are written as one run.
  struct Group {
    /// The commits whose events the group contains.
    let commits: ClosedRange<Int>
    fileprivate let source: Source

    fileprivate enum Source {
      case one(SortedRun)
      case several(RunMerger)
    }

    /// Writes the group as one run.
    ///
    /// - Returns: The checksum of the resulting run.
    func write(to target: some RunTarget, threads: Int) throws(FunnelError) -> UInt32 {
      switch source {
      case .one(let run):
        try run.write(to: target)
        return run.checksum
      case .several(let merger): return try merger.write(to: target, threads: threads)
      }
    }
  }

  /// The runs, oldest first.
  private(set) var runs: [Held] = []
  /// The number of the last commit that was added, with or without events; 0 if there is none.
  private(set) var commit = 0
  /// The hash of that commit.
  private(set) var hash = ""
  /// The total size of the runs in bytes.
  private var byteCount = 0

  /// Whether the runs have reached the size or the count at which they are written.
  var isEnough: Bool { byteCount >= Limits.indexHeldBytesTarget || runs.count >= RunMerger.runsMax }

  /// Adds the run of the next commit; `nil` for a commit that added no events to the log.
  mutating func append(_ run: SortedRun?, _ commit: Commit) {
    assert(commit.number > self.commit, "commits are added in order")
    self.commit = commit.number
    hash = commit.hash
    guard let run, run.eventCount > 0 else { return }
    runs.append(Held(run: run, commit: commit.number))
    byteCount += run.byteCount
  }

  /// Returns the groups in which to write the runs: one group, or one for each run if all together have too
  /// many event types.
  func groups() throws(FunnelError) -> [Group] {
    guard let first = runs.first, let last = runs.last else { return [] }
    if runs.count > 1 {
      let merger = try RunMerger(runs.map(\.run))
      if merger.isPossible { return [Group(commits: first.commit...last.commit, source: .several(merger))] }
    }
    return runs.map { Group(commits: $0.commit...$0.commit, source: .one($0.run)) }
  }
}
