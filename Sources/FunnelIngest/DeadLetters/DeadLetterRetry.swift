import FunnelDecoding
package import FunnelStore
package import FunnelModel
import FunnelSystem

/// Ingests the dead letters of a store again, after a schema or the tool was corrected. Valid lines move to the log.
package enum DeadLetterRetry {
  /// The result of a retry.
  package struct Summary: Hashable, Sendable {
    /// The number of dead letters before the retry.
    package var letters = 0
    /// The number of letters without a complete line: masked, truncated, or damage of a gzip file.
    package var notReplayable = 0
    /// The number of letters that are rejected again.
    package var refused = 0
    /// The number of letters of subjects that were forgotten after the rejection. These letters are deleted.
    package var forgotten = 0
    /// The summary of ingesting all other letters.
    package var events = IngestSummary()
  }

  /// Retries every dead letter.
  ///
  /// Valid events are appended to the log as in an ingest, in commits of bounded size. The last commit removes their
  /// letters. If a retry is interrupted before that, the next one recognizes the events as duplicates and removes the
  /// letters.
  ///
  /// - Throws: `inputOutput` if the store is damaged or can't be written.
  package static func run(on writer: StoreWriter, catalog: FlowCatalog, options: Ingestor.Options) throws -> Summary {
    try run(
      on: writer, catalog: catalog, options: options, knownBy: ScannedStore(writer.reader, threads: options.threads))
  }

  /// Retries every dead letter.
  ///
  /// - Parameter known: The events that the store contains.
  /// - Throws: `inputOutput` if the store is damaged or can't be written.
  package static func run<Known: KnownEvents>(
    on writer: StoreWriter, catalog: FlowCatalog, options: Ingestor.Options, knownBy known: Known
  ) throws -> Summary {
    let run = RetryOperation(writer: writer, catalog: catalog, options: options, known: known)
    do {
      try run.run()
    } catch {
      // A failed retry may have committed events, which the next run must recognize.
      try? known.finish()
      throw error
    }
    try known.finish()
    return run.summary
  }
}

/// One run of a retry.
///
/// Memory is bounded by the events of one commit and a few gzip members of dead letters.
private final class RetryOperation<Known: KnownEvents> {
  let writer: StoreWriter
  let catalog: FlowCatalog
  let options: Ingestor.Options
  let known: Known
  private(set) var summary = DeadLetterRetry.Summary()
  /// The events of the next commit.
  private var batch = EventBatch()
  /// The gzip members of which a letter is removed or has a new reason.
  private var affected = AffectedMembers()
  /// The number of letters to remove.
  private var leavingCount = 0

  init(writer: StoreWriter, catalog: FlowCatalog, options: Ingestor.Options, known: Known) {
    self.writer = writer
    self.catalog = catalog
    self.options = options
    self.known = known
  }

  /// Runs the retry.
  func run() throws {
    let store = writer.reader
    try commitValidEvents(of: store)
    summary.events.lines = summary.letters
    if leavingCount > 0 { try commit { (batch) throws(FunnelError) in try removeLetters(from: store, with: &batch) } }
    summary.events.eventsInStore = writer.reader.eventCount
  }

  /// Decodes all letters and commits the valid events, except those of the last batch.
  private func commitValidEvents(of store: StoreReader) throws {
    let decoding = options.decoding
    let catalog = catalog
    let wants = known.wants
    var members = try store.members(of: .rejected)[...]
    try OrderedPipeline.run(
      threads: options.threads,
      next: { members.popFirst() },
      makeWorker: { DeadLetterTrial(options: decoding, catalog: catalog) },
      transform: { trial, member in
        var outcome = try trial.outcome(of: store.read(member), member, wanting: wants)
        // The last commit determines the remaining letters again. Keeping them here would take unbounded memory.
        outcome.remaining = RecordBatch()
        return (member, outcome)
      },
      consume: { member, outcome in
        add(outcome, of: member)
        if batch.byteCount >= options.commitRawBytesTarget {
          try commit { (batch) throws(FunnelError) in batch.isEmpty ? nil : try writer.commit(batch) }
        }
      })
  }

  /// Adds the outcome of a gzip member to the summary and the batch.
  private func add(_ outcome: DeadLetterTrial.Outcome, of member: MemberReference) {
    summary.letters += outcome.letters
    summary.notReplayable += outcome.notReplayable
    summary.refused += outcome.refused
    summary.forgotten += outcome.forgotten
    leavingCount += outcome.leavingCount
    if outcome.isChanged { affected.insert(member) }
    for var block in outcome.blocks {
      known.record(&block)
      batch.append(block)
    }
  }

  /// Passes a commit of the new events of the batch to a closure, and starts an empty batch.
  ///
  /// - Parameter make: Makes the commit, or returns `nil` if there is nothing to commit.
  private func commit(_ make: (inout CommitBatch) throws(FunnelError) -> Commit?) throws {
    let isDropped = try known.duplicates(in: batch, known.takeRecording())
    var commit = CommitBatch(kind: .retry, at: options.decoding.now)
    commit.events = batch.records(without: isDropped, counting: &summary.events)
    batch = EventBatch()
    let made = Result { () throws(FunnelError) in try make(&commit) }
    // `KnownEvents` requires this call after each batch, even if the commit failed.
    try known.noteCommitted(as: (try? made.get()) ?? nil)
    if let commit = try made.get() { summary.events.commit = commit.number }
  }

  /// Commits a batch and rewrites the dead letters without those to remove.
  private func removeLetters(from store: StoreReader, with batch: inout CommitBatch) throws(FunnelError) -> Commit {
    let decoding = options.decoding
    let catalog = catalog
    let leavingCount = leavingCount
    let logFiles = affected.parts(in: store)
    batch.removed = logFiles
    return try writer.rewrite(
      batch,
      check: { (before, after) throws(FunnelError) in
        guard before.deadLetterCount - after.deadLetterCount == leavingCount else {
          throw FunnelError(
            .inputOutput,
            "\(before.path) was not written correctly, so the dead letters were not changed; check disk and memory"
          )
        }
      }
    ) { (rewriting) throws(FunnelError) in
      try affected.copy(logFiles, to: rewriting) { (lines, member) throws(FunnelError) in
        var trial = DeadLetterTrial(options: decoding, catalog: catalog)
        return try trial.outcome(of: lines, member, wanting: DecodingWants(records: false, identities: false)).remaining
      }
    }
  }
}
