import FunnelStore
import FunnelModel

/// Makes commits of batches: asks what is known, drops duplicates, orders the rest, and keeps the dead letters.
///
/// In two steps, so that one batch can be prepared while the one before is being written. Each step is done by one thread at a time, batch
/// after batch; the two share nothing but what the first hands to the second. An ``Ingestor`` waits for both before it asks for the
/// summary, which is why it may pass between threads.
final class BatchCommitter<Known: KnownEvents>: @unchecked Sendable {
  /// A batch that is ready to be committed.
  struct Prepared: Sendable {
    fileprivate var events: [CivilDate: RecordBatch]
    fileprivate var deadLetters: [DeadLetter]
  }

  private let writer: StoreWriter?
  private let now: Timestamp
  private let known: Known
  /// Of the first step.
  private var counts = IngestSummary()
  /// Of the second step.
  private var knownDeadLetters: Set<Hash128>?
  private var lastCommit: Int?

  /// - Parameters:
  ///   - writer: Where to commit to; nil: only count.
  ///   - known: What the store holds.
  ///   - now: The time of the ingest.
  init(_ writer: StoreWriter?, known: Known, now: Timestamp) {
    self.writer = writer
    self.known = known
    self.now = now
  }

  /// What became of the events so far.
  var summary: IngestSummary {
    var summary = counts
    summary.commit = lastCommit
    return summary
  }

  /// The first step: finds what is new of a batch and puts it in order.
  func prepare(_ batch: EventBatch, _ recording: Known.Recording) throws -> Prepared {
    let isDropped = try known.duplicates(in: batch, recording)
    return Prepared(events: batch.records(without: isDropped, counting: &counts), deadLetters: batch.deadLetters)
  }

  /// The second step: commits a prepared batch, where anything of it is new.
  func commit(_ prepared: consuming Prepared) throws {
    var made: Commit?
    var failure: (any Error)?
    do { made = try write(prepared) } catch { failure = error }
    // Whatever came of it: the next batch may be waiting to hear.
    try known.noteCommitted(as: made)
    if let failure { throw failure }
  }

  private func write(_ prepared: consuming Prepared) throws -> Commit? {
    guard let writer else { return nil }
    var commit = CommitBatch(kind: "ingest", at: now)
    commit.events = prepared.events
    commit.deadLetters = try newDeadLetters(prepared.deadLetters, in: writer.reader)
    guard !commit.isEmpty else { return nil }
    let made = try writer.commit(commit)
    lastCommit = made.number
    return made
  }

  /// The dead letters the store does not hold yet: reading the same bad file again adds nothing.
  private func newDeadLetters(_ letters: [DeadLetter], in store: StoreReader) throws -> [CivilDate: RecordBatch] {
    guard !letters.isEmpty else { return [:] }
    // Taken out, for a set that two hold is copied when one of them adds to it.
    var all = try knownDeadLetters.take() ?? DeadLetterBox.identities(in: store)
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
