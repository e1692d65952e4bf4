public import FunnelModel

/// One line of the journal: a change to the store that takes effect as a whole or not at all.
public struct Commit: Hashable, Sendable {
  /// The number of the commit, counted from 1.
  public var number: Int
  /// The command that made it: `ingest`, `retry`, …
  public var kind: String
  /// The number of the first commit of the ingest that this one goes on with, or nil if it is the first itself.
  public var continues: Int?
  /// The time at which it was made.
  public var at: Timestamp
  /// The smallest and the largest timestamp of its events, or nil if it has none.
  public var timestamps: ClosedRange<Timestamp>?
  /// The extents it appended, in the order they were written.
  public var appended: [Extent]
  /// The parts it removed.
  public var removed: [LogFileName]
  /// The hash of the previous journal line in hexadecimal; 64 zeros for the first line.
  public var previousHash: String
  /// The hash of its own line in hexadecimal. Because of the chain it identifies the whole journal up to this line.
  public var hash: String

  /// The number of events it wrote to the log.
  public var events: Int { count(in: .log) }
  /// The number of dead letters it wrote.
  public var rejected: Int { count(in: .rejected) }

  private func count(in area: LogFileName.Area) -> Int {
    appended.reduce(0) { $0 + ($1.part.area == area ? $1.records : 0) }
  }
}

/// A run of gzip members that one commit appended to one part.
public struct Extent: Hashable, Sendable {
  public var part: LogFileName
  /// The offset in the part at which it begins, in bytes.
  public var offset: Int
  /// Its length in the part, in bytes.
  public var bytes: Int
  /// Its length after decompression, in bytes.
  public var rawBytes: Int
  /// The number of lines in it: events, or dead letters.
  public var records: Int
  /// The SHA-256 of its bytes in the part, in hexadecimal.
  public var sha256: String
  /// Where its records came from if a rewriting wrote it, in their order; empty if its own commit brought them.
  public var origins: [RecordOrigin] = []
}
