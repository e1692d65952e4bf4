public import FunnelModel

/// The changes that a commit is to make: what it adds to the store, and what it removes.
///
///     var batch = CommitBatch(kind: "ingest", at: now)
///     batch.events[timestamp.day, default: RecordBatch()].append(line, timestamp: timestamp)
///     let commit = try writer.commit(batch)
public struct CommitBatch: Sendable {
  /// The command that makes the commit, in lower-case letters and underscores: `ingest`, `retry`, …
  public var kind: String
  /// The number of the first commit of the ingest that this one goes on with, or nil if it is the first itself.
  public var continues: Int?
  /// The time at which the commit is made.
  public var at: Timestamp
  /// The events, by the UTC day of their timestamps, in the order in which they are written to the log.
  public var events: [CivilDate: RecordBatch] = [:]
  /// The dead letters, by the UTC day of the ingest.
  public var deadLetters: [CivilDate: RecordBatch] = [:]
  /// The tombstones, by the UTC day of the erasure.
  public var tombstones: [CivilDate: RecordBatch] = [:]
  /// The snapshots, which are aggregates of days whose events were dropped, by that day.
  public var snapshots: [CivilDate: RecordBatch] = [:]
  /// The parts that this commit removes: dead letters that were replayed, parts that are rewritten. Records of them that are to stay must
  /// be in `events`, `deadLetters` or `tombstones`, or be kept by ``StoreWriter/rewrite(_:compression:check:_:)``; they go to other parts.
  public var removed: [LogFileName] = []

  /// All records, in the order in which they are written.
  var records: [(area: LogFileName.Area, byDay: [CivilDate: RecordBatch])] {
    [(.log, events), (.rejected, deadLetters), (.forgotten, tombstones), (.snapshots, snapshots)]
  }

  /// Creates an empty batch.
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
