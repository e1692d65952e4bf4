/// The last two stages of an ingest, on two background threads: while one batch is written, the next one is prepared, and the
/// caller decodes a third.
///
///     try pipeline.begin(batch)
///     try pipeline.finish()
///
/// After an error, call ``wait()``.
struct CommitPipeline<Known: KnownEvents> {
  private let committer: BatchCommitter<Known>
  private let known: Known
  private let preparations: BackgroundExecutor
  private let commits: BackgroundExecutor

  /// Creates a pipeline, and its threads if it needs any.
  ///
  /// - Parameter isSynchronous: Whether all work is done on the thread of the caller.
  init(_ committer: BatchCommitter<Known>, known: Known, isSynchronous: Bool) {
    self.committer = committer
    self.known = known
    preparations = BackgroundExecutor(isSynchronous: isSynchronous)
    commits = BackgroundExecutor(isSynchronous: isSynchronous)
  }

  /// Waits until the previous batch is prepared, and starts to prepare and commit another one.
  ///
  /// - Throws: The error of an earlier batch. The new one is then not committed.
  func begin(_ batch: EventBatch) throws {
    let recording = known.takeRecording()
    try preparations.begin { [committer, commits] in
      let prepared = try committer.prepare(batch, recording)
      try commits.begin { try committer.commit(prepared) }
    }
  }

  /// Waits until all batches are committed. No batch may be started afterwards.
  ///
  /// - Throws: The error of a batch.
  func finish() throws {
    try preparations.finish()
    try commits.finish()
  }

  /// Waits for all batches and ignores their errors. No batch may be started afterwards.
  func wait() {
    preparations.wait()
    commits.wait()
  }
}
