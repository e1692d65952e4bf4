import FunnelDecoding
import FunnelStore
import FunnelModel

/// Commits batches of events and dead letters to a store: removes duplicates, sorts, and writes.
///
/// There are two steps, preparing and committing, so that one batch is prepared while the previous one is written. Each
/// step runs on one thread at a time, batch after batch.
final class BatchCommitter<Known: KnownEvents>: @unchecked Sendable {
  // Unchecked, because the two steps have no mutable state in common, and ``Ingestor`` waits for both before it reads the
  // summary.

  /// A batch that is ready to be committed.
  struct Prepared: Sendable {
    fileprivate var events: [CivilDate: RecordBatch]
    fileprivate var deadLetters: [DeadLetter]
  }

  private let writer: StoreWriter?
  private let now: Timestamp
  private let known: Known
  /// The summary of the first step.
  private var counts = IngestSummary()
  /// The identities of the dead letters in the store, or `nil` if they are not read yet. For the second step.
  private var knownDeadLetters: Set<Hash128>?
  /// The number of the first commit, or `nil` before it. Set by the second step.
  private var firstCommit: Int?
  /// The number of the last commit, or `nil` before it. Set by the second step.
  private var lastCommit: Int?

  /// Creates a committer for one ingest.
  ///
  /// - Parameters:
  ///   - writer: The writer of the store, or `nil` for a dry run, which only counts.
  ///   - known: The events that the store contains.
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

  /// Performs the first step: removes the duplicates of a batch and sorts the remaining events.
  func prepare(_ batch: EventBatch, _ recording: Known.Recording) throws -> Prepared {
    let isDropped = try known.duplicates(in: batch, recording)
    return Prepared(events: batch.records(without: isDropped, counting: &counts), deadLetters: batch.deadLetters)
  }

  /// Performs the second step: commits a prepared batch, if anything in it is new.
  func commit(_ prepared: consuming Prepared) throws {
    var made: Commit?
    var failure: (any Error)?
    do { made = try write(prepared) } catch { failure = error }
    // `KnownEvents` requires this call after a failure too, because the next batch may wait for it.
    try known.noteCommitted(as: made)
    if let failure { throw failure }
  }

  /// Commits a prepared batch. Returns `nil` if there is nothing to commit.
  private func write(_ prepared: consuming Prepared) throws -> Commit? {
    guard let writer else { return nil }
    var commit = CommitBatch(kind: .ingest, at: now)
    commit.events = prepared.events
    commit.deadLetters = try newDeadLetters(prepared.deadLetters, in: writer.reader)
    commit.continues = firstCommit
    guard !commit.isEmpty else { return nil }
    let made = try writer.commit(commit)
    firstCommit = firstCommit ?? made.number
    lastCommit = made.number
    return made
  }

  /// Returns the dead letters that the store does not contain yet, so that an ingest can be repeated.
  private func newDeadLetters(_ letters: [DeadLetter], in store: StoreReader) throws -> [CivilDate: RecordBatch] {
    guard !letters.isEmpty else { return [:] }
    // The set is moved out of the property, because inserting into a set with two references copies it.
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
