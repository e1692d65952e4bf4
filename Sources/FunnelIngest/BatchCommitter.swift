import FunnelLog
import FunnelModel

/// Makes commits of batches: asks what is known, drops duplicates, orders the rest, and keeps the dead letters.
///
/// Not for several threads at once. An ``Ingestor`` hands it from its own thread to a ``WorkBehind`` and waits for that one before it looks
/// at it, which is why it may pass between threads.
final class BatchCommitter<Known: KnownEvents>: @unchecked Sendable {
  private let writer: StoreWriter?
  private let now: Timestamp
  private let threads: Int
  private let known: Known
  private var knownDeadLetters: Set<Hash128>?
  /// What became of the events so far.
  private(set) var summary = IngestSummary()

  /// - Parameters:
  ///   - writer: Where to commit to; nil: only count.
  ///   - known: What the store holds.
  ///   - now: The time of the ingest.
  init(_ writer: StoreWriter?, known: Known, now: Timestamp, threads: Int) {
    self.writer = writer
    self.known = known
    self.now = now
    self.threads = threads
  }

  /// Commits what is new of a batch; nothing where nothing is.
  func commit(_ batch: consuming EventBatch, _ recording: consuming Known.Recording) throws {
    var commit = CommitBatch(kind: "ingest", at: now)
    var isDropped = try known.known(among: batch.blocks, recording)
    commit.events = try batch.records(without: &isDropped, threads: threads, counting: &summary)
    guard let writer else { return try known.noteCommitted(recording, isDropped: isDropped, as: nil) }
    commit.deadLetters = try newDeadLetters(batch.deadLetters, in: writer.reader)
    guard !commit.isEmpty else { return }
    batch = EventBatch()
    let made = try writer.commit(commit)
    summary.commit = made.number
    try known.noteCommitted(recording, isDropped: isDropped, as: made)
  }

  /// The dead letters the store does not hold yet: reading the same bad file again adds nothing.
  private func newDeadLetters(_ letters: [DeadLetter], in store: StoreReader) throws -> [CivilDate: RecordBatch] {
    guard !letters.isEmpty else { return [:] }
    var all = try knownDeadLetters ?? DeadLetterBox.identities(in: store)
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
