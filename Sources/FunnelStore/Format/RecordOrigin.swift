/// Records that one commit brought to the store: a run of an extent's lines.
///
/// A rewriting (a compaction, an erasure, …) moves records to other parts. So that a store can still be read as it stood after a commit, and
/// an ingest be undone, an extent that was rewritten says where its records came from.
public struct RecordOrigin: Hashable, Sendable {
  /// The number of the commit that brought the records.
  public var commit: Int
  /// The number of records, at least one.
  public var records: Int

  public init(commit: Int, records: Int) {
    (self.commit, self.records) = (commit, records)
  }
}

extension [RecordOrigin] {
  /// The number of records.
  var recordCount: Int { reduce(0) { $0 + $1.records } }

  /// Appends records, to the last run if they are of the same commit.
  mutating func append(_ records: Int, of commit: Int) {
    guard records > 0 else { return }
    if let last, last.commit == commit {
      self[count - 1].records += records
    } else {
      append(RecordOrigin(commit: commit, records: records))
    }
  }

  mutating func append(joining other: [RecordOrigin]) {
    for run in other { append(run.records, of: run.commit) }
  }

  /// Removes the first records and returns where they came from.
  mutating func takeFirst(_ records: Int) -> [RecordOrigin] {
    var taken: [RecordOrigin] = []
    var left = records
    var place = 0
    while left > 0 {
      precondition(place < count, "more records are taken than there are")
      let number = Swift.min(left, self[place].records)
      taken.append(number, of: self[place].commit)
      left -= number
      self[place].records -= number
      if self[place].records == 0 { place += 1 }
    }
    removeFirst(place)
    return taken
  }

  /// Returns the commit of each record.
  var commits: [Int] { flatMap { Array<Int>(repeating: $0.commit, count: $0.records) } }
}

extension CoveredLogFile.Piece {
  /// Where the records of the extent came from, in their order.
  public var origins: [RecordOrigin] {
    extent.origins.isEmpty ? [RecordOrigin(commit: commit, records: extent.records)] : extent.origins
  }
}
