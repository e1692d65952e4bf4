package import FunnelDecoding
package import FunnelStore
internal import FunnelModel

extension EventIndexWriter {
  /// Adds the events of all commits that the index does not cover, which are read from the log in batches of
  /// bounded size.
  ///
  /// - Parameter progress: Called regularly with the number of events and bytes read.
  /// - Throws: `inputOutput` if the log is damaged or the index can't be written. The index is then unchanged.
  package func catchUp(
    with store: StoreReader, progress: (InputProgress) -> Void = { _ in }
  ) throws {
    guard let last = store.commits.last, last.number > manifest.commit else { return try finish() }
    if manifest.commit > 0, !manifest.isValid(for: store) { try reset() }
    try createFolder()
    var next = (manifest: manifest, runs: runs)
    let commits = manifest.commit + 1...last.number
    try LogRecording.forEachBatch(of: store, after: manifest.commit, threads: threads, progress: progress) { batch in
      let run = try write(batch, commits: commits)
      next.manifest.runs.append(run.entry)
      next.runs.append(run.run)
    }
    next.manifest.commit = last.number
    next.manifest.hash = last.hash
    try replace(next.manifest, next.runs)
    try finish()
  }
}

extension EventIndex {
  /// Returns an index that also covers all later commits. Their events are read from the log into memory.
  ///
  /// - Returns: This index if there are no later commits; `nil` if the log has too many event types to be
  ///   indexed, or if there would be too many sorted runs.
  /// - Throws: `inputOutput` if the log is damaged.
  package func completed(with store: StoreReader, threads: Int) throws -> EventIndex? {
    guard let last = store.commits.last, last.number > commit else { return self }
    var runs = runs
    var isIndexable = true
    try LogRecording.forEachBatch(of: store, after: commit, threads: threads, progress: { _ in }) { batch in
      isIndexable = isIndexable && batch.isIndexable
      if isIndexable { runs.append(try batch.memoryRun()) }
    }
    return isIndexable && runs.count <= RunMerger.runsMax ? EventIndex(runs: runs, commit: last.number) : nil
  }
}

/// Records the events of the log in batches of bounded size.
private enum LogRecording {
  /// Passes the events of all commits after `commit` to `consume`, in batches.
  static func forEachBatch(
    of store: StoreReader, after commit: Int, threads: Int, progress: (InputProgress) -> Void,
    _ consume: (IndexBatch) throws -> Void
  ) throws {
    let pool = IndexRecorderPool()
    var blocks: [RecordedBlock] = []
    var byteCount = 0
    var counts = InputCounts()
    func flush() throws {
      guard !blocks.isEmpty else { return }
      try consume(try IndexBatch(blocks, dictionaries: pool.dictionaries, threads: threads))
      blocks = []
      byteCount = 0
    }
    try StoredEvents.forEachBlock(
      of: store, catalog: try FlowCatalog(layers: []), threads: threads, wanting: pool.wants(records: false),
      where: { $0.commit > commit }
    ) { decoded in
      var decoded = decoded
      if let block = pool.take(&decoded) {
        blocks.append(block)
        byteCount += block.byteCount
      }
      counts.add(decoded)
      progress(InputProgress(events: counts.events, bytes: counts.bytes, fileBytes: 0))
      if byteCount >= IndexLimits.batchBytesTarget { try flush() }
    }
    try flush()
  }
}
