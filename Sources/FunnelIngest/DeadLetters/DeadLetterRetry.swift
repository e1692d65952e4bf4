public import FunnelStore
public import FunnelModel
import FunnelSystem

/// Retries the dead letters of a store after a schema or the tool was corrected: lines that now pass move to the log.
public enum DeadLetterRetry {
  /// The result of a retry.
  public struct Summary: Hashable, Sendable {
    /// The number of dead letters before the retry.
    public var letters = 0
    /// The number of letters that are incomplete: masked, cut, or damage of a gzip file.
    public var notReplayable = 0
    /// The number of letters that are rejected again.
    public var refused = 0
    /// The number of letters of subjects who have been forgotten since; nothing of these is kept.
    public var forgotten = 0
    /// The result of ingesting the remaining letters.
    public var events = IngestSummary()
  }

  /// Retries every dead letter.
  ///
  /// Events that pass are appended to the log as in an ingest, in commits of bounded size; the last commit removes their letters. If a
  /// retry is interrupted before that, the next one recognizes the events as duplicates and removes the letters then.
  ///
  /// - Throws: `inputOutput` if the store is damaged or can't be written.
  public static func run(on writer: StoreWriter, catalog: FlowCatalog, options: Ingestor.Options) throws -> Summary {
    try run(
      on: writer, catalog: catalog, options: options, knownBy: ScannedStore(writer.reader, threads: options.threads))
  }

  /// Retries every dead letter.
  ///
  /// - Parameter known: The identities of the events that the store holds.
  /// - Throws: `inputOutput` if the store is damaged or can't be written.
  package static func run<Known: KnownEvents>(
    on writer: StoreWriter, catalog: FlowCatalog, options: Ingestor.Options, knownBy known: Known
  ) throws -> Summary {
    let run = RetryOperation(writer: writer, catalog: catalog, options: options, known: known)
    do {
      try run.run()
    } catch {
      // The next run needs to know the events that were committed.
      try? known.finish()
      throw error
    }
    try known.finish()
    return run.summary
  }
}

/// One retry, step by step. It holds in memory the events of one commit and a few members of dead letters, however many letters there are.
private final class RetryOperation<Known: KnownEvents> {
  let writer: StoreWriter
  let catalog: FlowCatalog
  let options: Ingestor.Options
  let known: Known
  private(set) var summary = DeadLetterRetry.Summary()
  private var batch = EventBatch()
  /// The members that lose letters, or whose letters are rejected for another reason than before.
  private var affected = AffectedMembers()
  private var leavingCount = 0

  init(writer: StoreWriter, catalog: FlowCatalog, options: Ingestor.Options, known: Known) {
    (self.writer, self.catalog, self.options, self.known) = (writer, catalog, options, known)
  }

  func run() throws {
    let store = writer.reader
    try takeWhatPasses(of: store)
    summary.events.lines = summary.letters
    if leavingCount > 0 { try commit { (batch) throws(FunnelError) in try removeWhatPassed(of: store, with: &batch) } }
    summary.events.eventsInStore = writer.reader.eventCount
  }

  /// Decodes all letters, and commits the events that pass, except those of the last commit.
  private func takeWhatPasses(of store: StoreReader) throws {
    let (decoding, catalog, wants) = (options.decoding, catalog, known.wants)
    var members = try store.members(of: .rejected)[...]
    try OrderedPipeline.run(
      threads: options.threads,
      next: { members.popFirst() },
      makeWorker: { DeadLetterTrial(options: decoding, catalog: catalog) },
      transform: { trial, member in
        var outcome = try trial.outcome(of: store.read(member), member, wanting: wants)
        outcome.rest = RecordBatch()
        return (member, outcome)
      },
      consume: { member, outcome in
        take(outcome, of: member)
        if batch.byteCount >= options.commitRawBytesTarget {
          try commit { (batch) throws(FunnelError) in batch.isEmpty ? nil : try writer.commit(batch) }
        }
      })
  }

  private func take(_ outcome: DeadLetterTrial.Outcome, of member: MemberReference) {
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

  /// Commits the events of the batch that are not duplicates.
  private func commit(_ make: (inout CommitBatch) throws(FunnelError) -> Commit?) throws {
    let isDropped = try known.duplicates(in: batch, known.takeRecording())
    var commit = CommitBatch(kind: "retry", at: options.decoding.now)
    commit.events = batch.records(without: isDropped, counting: &summary.events)
    batch = EventBatch()
    let made = Result { () throws(FunnelError) in try make(&commit) }
    // Must be called whatever the result, as after every batch that was checked for duplicates.
    try known.noteCommitted(as: (try? made.get()) ?? nil)
    if let commit = try made.get() { summary.events.commit = commit.number }
  }

  /// Rewrites the dead letters without those that passed.
  private func removeWhatPassed(of store: StoreReader, with batch: inout CommitBatch) throws(FunnelError) -> Commit {
    let (decoding, catalog, leavingCount) = (options.decoding, catalog, leavingCount)
    let parts = affected.parts(in: store)
    batch.removed = parts
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
      try affected.copy(parts, to: rewriting) { (lines, member) throws(FunnelError) in
        var trial = DeadLetterTrial(options: decoding, catalog: catalog)
        return try trial.outcome(of: lines, member, wanting: DecodingWants(records: false, identities: false)).rest
      }
    }
  }
}
