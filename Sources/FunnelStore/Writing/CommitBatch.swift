public import FunnelModel

/// What a commit is to add to the store, and to take away.
///
///     var batch = CommitBatch(kind: "ingest", at: now)
///     batch.events[timestamp.day, default: RecordBatch()].append(line, timestamp: timestamp)
///     let commit = try writer.commit(batch)
public struct CommitBatch: Sendable {
  /// What makes the commit, in lower-case letters and underscores: `ingest`, `retry`, …
  public var kind: String
  /// When it is made.
  public var at: Timestamp
  /// The events, by the UTC day of their timestamps, in the order they are to stand in the log.
  public var events: [CivilDate: RecordBatch] = [:]
  /// The lines that were refused, by the UTC day of the ingest.
  public var deadLetters: [CivilDate: RecordBatch] = [:]
  /// What says that somebody was forgotten, by the UTC day of the erasure.
  public var tombstones: [CivilDate: RecordBatch] = [:]
  /// What was counted of days whose events are gone, by that day.
  public var snapshots: [CivilDate: RecordBatch] = [:]
  /// Parts that this commit takes away: dead letters that were replayed, parts written anew. What is to stay of them must be in
  /// `events`, `deadLetters` or `tombstones`, or be kept by ``StoreWriter/rewrite(_:compression:check:_:)``; it goes to other parts.
  public var removed: [PartName] = []

  /// All records, in the order they are written.
  var records: [(area: PartName.Area, byDay: [CivilDate: RecordBatch])] {
    [(.log, events), (.rejected, deadLetters), (.forgotten, tombstones), (.snapshots, snapshots)]
  }

  /// Makes a batch with nothing in it.
  public init(kind: String, at: Timestamp) {
    precondition(!kind.isEmpty && kind.utf8.allSatisfy { (97...122).contains($0) || $0 == 95 }, "a kind is written a-z and _")
    self.kind = kind
    self.at = at
  }

  /// Whether committing it would change nothing.
  public var isEmpty: Bool {
    removed.isEmpty && records.allSatisfy { $0.byDay.values.allSatisfy(\.isEmpty) }
  }
}
