public import FunnelModel

/// What one line of the journal says: what was added to the store, all of it or nothing.
public struct Commit: Hashable, Sendable {
  /// Counts commits from 1.
  public var number: Int
  /// What made it: `ingest`, `retry`, …
  public var kind: String
  /// When it was made.
  public var at: Timestamp
  /// Smallest and largest timestamp of its events; nil where it has none.
  public var timestamps: ClosedRange<Timestamp>?
  /// What it added, in the order it was written.
  public var appended: [Extent]
  /// The parts it took away.
  public var removed: [PartName]
  /// The hash of the journal line before, in hexadecimal; for the first, 64 zeros.
  public var previousHash: String
  /// The hash of its own line, in hexadecimal; it stands for the whole journal up to here.
  public var hash: String

  /// How many events it wrote to the log.
  public var events: Int { count(in: .log) }
  /// How many dead letters it wrote.
  public var rejected: Int { count(in: .rejected) }

  private func count(in area: PartName.Area) -> Int {
    appended.reduce(0) { $0 + ($1.part.area == area ? $1.records : 0) }
  }
}

/// A run of gzip members that one commit appended to one part.
public struct Extent: Hashable, Sendable {
  public var part: PartName
  /// Where it begins in the part, in bytes.
  public var offset: Int
  /// Its length in the part, in bytes.
  public var bytes: Int
  /// The length of what it inflates to.
  public var rawBytes: Int
  /// Lines in it: events, or dead letters.
  public var records: Int
  /// SHA-256 of its bytes in the part, in hexadecimal.
  public var sha256: String
}
