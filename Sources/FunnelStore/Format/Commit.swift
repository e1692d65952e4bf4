package import FunnelModel

/// A line of the journal: one atomic change to the store.
package struct Commit: Hashable, Sendable {
  /// The number of the commit, counted from 1.
  package var number: Int
  /// The command that made the commit: `ingest`, `retry`, …
  package var kind: String
  /// The number of the first commit of the same ingest, or `nil` if this commit is its first or not part of an ingest.
  package var continues: Int?
  /// The time at which the commit was made.
  package var at: Timestamp
  /// The smallest and the largest timestamp of the appended events, or `nil` if there are none.
  package var timestamps: ClosedRange<Timestamp>?
  /// The appended extents, in the order in which they were written.
  package var appended: [Extent]
  /// The removed log files.
  package var removed: [LogFileName]
  /// The hash of the previous journal line in hexadecimal, or 64 zeros for the first line.
  package var previousHash: String
  /// The hash of this line in hexadecimal. Because of the chain it identifies the whole journal up to this line.
  package var hash: String

  /// The number of appended events.
  package var events: Int { count(in: .log) }
  /// The number of appended dead letters.
  package var rejected: Int { count(in: .rejected) }

  private func count(in area: LogFileName.Area) -> Int {
    appended.reduce(0) { $0 + ($1.logFile.area == area ? $1.records : 0) }
  }
}

/// Consecutive gzip members that one commit appended to one log file.
package struct Extent: Hashable, Sendable {
  /// The log file that contains the extent.
  package var logFile: LogFileName
  /// The offset in the log file at which the extent begins, in bytes.
  package var offset: Int
  /// The length in the log file, in bytes.
  package var bytes: Int
  /// The length after decompression, in bytes.
  package var rawBytes: Int
  /// The number of lines: events, dead letters, tombstones or snapshots.
  package var records: Int
  /// The SHA-256 of the bytes in the log file, in hexadecimal.
  package var sha256: String
  /// The commits that brought the records of a rewritten extent, in the order of the records. Empty if the extent's
  /// own commit brought all of them.
  package var origins: [RecordOrigin] = []
}
