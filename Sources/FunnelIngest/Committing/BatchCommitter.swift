import FunnelStore
import FunnelModel

/// Commits batches: queries the known events, drops duplicates, sorts the rest, and keeps the dead letters.
///
/// It works in two steps, so that one batch can be prepared while the one before is being written. Each step is performed by one thread at
/// a time, batch after batch; the two share nothing but what the first passes to the second. An ``Ingestor`` waits for both before it reads
/// the summary, which is why a committer may pass between threads.
final class BatchCommitter<Known: KnownEvents>: @unchecked Sendable {
  /// A batch that is ready to be committed.
  struct Prepared: Sendable {
    fileprivate var events: [CivilDate: RecordBatch]
    fileprivate var deadLetters: [DeadLetter]
  }

  private let writer: StoreWriter?
  private let now: Timestamp
  private let known: Known
  /// The counts of the first step.
  private var counts = IngestSummary()
  /// The dead letters known to the second step, or nil before they are first read.
  private var knownDeadLetters: Set<Hash128>?
  /// The numbers of the first and the last commit, set by the second step.
  private var firstCommit: Int?
  private var lastCommit: Int?

  /// Creates a committer for one ingest.
  ///
  /// - Parameters:
  ///   - writer: The store to commit to, or nil to count only.
  ///   - known: The events the store holds.
  ///   - now: The time of the ingest.
  init(_ writer: StoreWriter?, known: Known, now: Timestamp) {
    self.writer = writer
    self.known = known
    self.now = now
  }

  /// The summary of the events so far.
  var summary: IngestSummary {
    var summary = counts
    summary.commit = lastCommit
    return summary
  }

  /// Performs the first step: finds the new events of a batch and sorts them.
  func prepare(_ batch: EventBatch, _ recording: Known.Recording) throws -> Prepared {
    let isDropped = try known.duplicates(in: batch, recording)
    return Prepared(events: batch.records(without: isDropped, counting: &counts), deadLetters: batch.deadLetters)
  }

  /// Performs the second step: commits a prepared batch, if anything in it is new.
  func commit(_ prepared: consuming Prepared) throws {
    var made: Commit?
    var failure: (any Error)?
    do { made = try write(prepared) } catch { failure = error }
    // This is noted after a failure too: the next batch may be waiting for it.
    try known.noteCommitted(as: made)
    if let failure { throw failure }
  }

  private func write(_ prepared: consuming Prepared) throws -> Commit? {
    guard let writer else { return nil }
    var commit = CommitBatch(kind: "ingest", at: now)
    commit.events = prepared.events
    commit.deadLetters = try newDeadLetters(prepared.deadLetters, in: writer.reader)
    commit.continues = firstCommit
    guard !commit.isEmpty else { return nil }
    let made = try writer.commit(commit)
    firstCommit = firstCommit ?? made.number
    lastCommit = made.number
    return made
  }

  /// Returns the dead letters that the store does not hold yet: reading the same bad file again adds nothing.
  private func newDeadLetters(_ letters: [DeadLetter], in store: StoreReader) throws -> [CivilDate: RecordBatch] {
    guard !letters.isEmpty else { return [:] }
    // The set is moved out, because adding to a set with two references copies it.
    var all = try knownDeadLetters.take() ?? DeadLetters.identities(in: store)
    var records = RecordBatch()
    var line: [UInt8] = []
    for letter in letters where !all.contains(letter.identity) {
      if all.count < Limits.deadLettersKnownMax { all.insert(letter.identity) }
      line.removeAll(keepingCapacity: true)
      letter.appendJSON(at: now, to: &line)
      records.append(line.dropLast(), timestamp: now)
    }
    knownDeadLetters = all
    return records.isEmpty ? [:] : [now.day: records]
  }
}
