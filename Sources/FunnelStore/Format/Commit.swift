package import FunnelModel

/// A line of the journal: one atomic change to the store.
package struct Commit: Hashable, Sendable {
  /// The number of the commit, counted from 1.
  package var number: Int
  /// The command that made the commit.
  package var kind: Kind
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

extension Commit {
  /// The command that made a commit. A journal may contain kinds that this version does not know.
  package struct Kind: Hashable, Sendable, CustomStringConvertible {
    /// Adds events and dead letters.
    package static let ingest = Kind("ingest")
    /// Adds events that were dead letters.
    package static let retry = Kind("retry")
    /// Removes the events of forgotten subjects.
    package static let forget = Kind("forget")
    /// Removes the events of an ingest.
    package static let undo = Kind("undo")
    /// Replaces the events of old days by aggregates.
    package static let retain = Kind("retain")
    /// Rewrites log files without adding or removing events.
    package static let compact = Kind("compact")
    /// Rewrites damaged log files without their invalid data.
    package static let repair = Kind("repair")

    /// The name of the command, as the journal contains it.
    package let description: String

    /// Creates the kind with a name that was read from a journal.
    init(_ name: String) { description = name }
  }

  /// Whether the commit adds events to the log.
  package var bringsEvents: Bool { kind == .ingest || kind == .retry }

  /// Whether the commit rewrites log files without adding or removing events.
  package var keepsEvents: Bool { kind == .compact }
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
