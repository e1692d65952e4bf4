package import FunnelModel

/// The changes of a commit: the records to be added to a store, and the log files to be removed.
///
///     var batch = CommitBatch(kind: .ingest, at: now)
///     batch.events[timestamp.day, default: RecordBatch()].append(line, timestamp: timestamp)
///     let commit = try writer.commit(batch)
package struct CommitBatch: Sendable {
  /// The command that makes the commit.
  package let kind: Commit.Kind
  /// The number of the first commit of the same ingest, or `nil` if this commit is its first or not part of an ingest.
  package var continues: Int?
  /// The time at which the commit is made.
  package let at: Timestamp
  /// The events, by the UTC day of their timestamps, in the order in which they are written to the log.
  package var events: [CivilDate: RecordBatch] = [:]
  /// The dead letters, by the UTC day of the ingest.
  package var deadLetters: [CivilDate: RecordBatch] = [:]
  /// The tombstones, by the UTC day of the erasure.
  package var tombstones: [CivilDate: RecordBatch] = [:]
  /// The snapshots, which are aggregates of days whose events were dropped, by that day.
  package var snapshots: [CivilDate: RecordBatch] = [:]
  /// The log files that the commit removes, with all their records.
  ///
  /// Records that are to stay must be added to the batch, or be copied with ``StoreWriter/rewrite(_:compression:check:_:)``.
  package var removed: [LogFileName] = []

  /// The records of each area, in the order in which they are written.
  var records: [(area: LogFileName.Area, byDay: [CivilDate: RecordBatch])] {
    [(.log, events), (.rejected, deadLetters), (.forgotten, tombstones), (.snapshots, snapshots)]
  }

  /// Creates an empty batch.
  package init(kind: Commit.Kind, at: Timestamp) {
    self.kind = kind
    self.at = at
  }

  /// Whether a commit of the batch would change nothing.
  package var isEmpty: Bool {
    removed.isEmpty && records.allSatisfy { $0.byDay.values.allSatisfy(\.isEmpty) }
  }
}
