public import FunnelModel

/// A line of the journal: one atomic change to the store.
public struct Commit: Hashable, Sendable {
  /// The number of the commit, counted from 1.
  public var number: Int
  /// The command that made the commit: `ingest`, `retry`, …
  public var kind: String
  /// The number of the first commit of the same ingest, or `nil` if this commit is its first or not part of an ingest.
  public var continues: Int?
  /// The time at which the commit was made.
  public var at: Timestamp
  /// The smallest and the largest timestamp of the appended events, or `nil` if there are none.
  public var timestamps: ClosedRange<Timestamp>?
  /// The appended extents, in the order in which they were written.
  public var appended: [Extent]
  /// The removed log files.
  public var removed: [LogFileName]
  /// The hash of the previous journal line in hexadecimal, or 64 zeros for the first line.
  public var previousHash: String
  /// The hash of this line in hexadecimal. Because of the chain it identifies the whole journal up to this line.
  public var hash: String

  /// The number of appended events.
  public var events: Int { count(in: .log) }
  /// The number of appended dead letters.
  public var rejected: Int { count(in: .rejected) }

  private func count(in area: LogFileName.Area) -> Int {
    appended.reduce(0) { $0 + ($1.part.area == area ? $1.records : 0) }
  }
}

/// Consecutive gzip members that one commit appended to one log file.
public struct Extent: Hashable, Sendable {
  /// The log file that contains the extent.
  public var part: LogFileName
  /// The offset in the log file at which the extent begins, in bytes.
  public var offset: Int
  /// The length in the log file, in bytes.
  public var bytes: Int
  /// The length after decompression, in bytes.
  public var rawBytes: Int
  /// The number of lines: events, dead letters, tombstones or snapshots.
  public var records: Int
  /// The SHA-256 of the bytes in the log file, in hexadecimal.
  public var sha256: String
  /// The commits that brought the records of a rewritten extent, in the order of the records. Empty if the extent's
  /// own commit brought all of them.
  public var origins: [RecordOrigin] = []
}
