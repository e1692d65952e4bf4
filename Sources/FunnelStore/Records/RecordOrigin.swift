import FunnelModel

/// The commit that brought a number of consecutive records to the store.
///
/// A rewriting, such as a compaction or an erasure, moves records to other log files. The extents it writes record
/// the origins, so that the store can still be read as it was after an earlier commit, and an ingest can still be
/// undone.
package struct RecordOrigin: Hashable, Sendable {
  /// The number of the commit that brought the records.
  package var commit: Int
  /// The number of records, at least one.
  package var records: Int

  /// Creates the origin of a number of records.
  package init(commit: Int, records: Int) {
    self.commit = commit
    self.records = records
  }
}

extension [RecordOrigin] {
  /// The total number of records.
  var recordCount: Int { reduce(0) { $0 + $1.records } }

  /// Appends the origin of a number of records. Joins it with the last element if that is of the same commit.
  mutating func append(_ records: Int, of commit: Int) {
    guard records > 0 else { return }
    if let last, last.commit == commit {
      self[count - 1].records += records
    } else {
      append(RecordOrigin(commit: commit, records: records))
    }
  }

  /// Appends origins, joining consecutive ones of the same commit.
  mutating func append(joining other: [RecordOrigin]) {
    for origin in other { append(origin.records, of: origin.commit) }
  }

  /// Removes and returns the origins of the first `records` records.
  ///
  /// - Precondition: There are at least that many records.
  mutating func takeFirst(_ records: Int) -> [RecordOrigin] {
    var taken: [RecordOrigin] = []
    var remaining = records
    var index = 0
    while remaining > 0 {
      precondition(index < count, "more records are taken than there are")
      let number = Swift.min(remaining, self[index].records)
      taken.append(number, of: self[index].commit)
      remaining -= number
      self[index].records -= number
      if self[index].records == 0 { index += 1 }
    }
    removeFirst(index)
    return taken
  }

  /// The number of the commit of each record.
  var commits: [Int] { flatMap { Array<Int>(repeating: $0.commit, count: $0.records) } }
}

extension CoveredLogFile.Piece {
  /// The origins of the extent's records, in the order of the records.
  package var origins: [RecordOrigin] {
    extent.origins.isEmpty ? [RecordOrigin(commit: commit, records: extent.records)] : extent.origins
  }
}

/// Infers the origins of records that an older version of the program rewrote without recording them.
///
/// If a day has as many records as before the rewriting, the origins are those of the removed records, because a
/// rewriting keeps the order within a day. If records were removed, it is unknown which ones: all are attributed to
/// the first commit of the day. A view of the past may then show a record too early, but never lacks one.
struct InferredOrigins {
  private var origins: [Extent: [RecordOrigin]] = [:]

  /// Infers the origins of the extents of a commit that removed log files.
  init(of commit: Commit, removed: [CoveredLogFile]) {
    guard !removed.isEmpty, commit.appended.contains(where: { $0.origins.isEmpty }) else { return }
    let written = Dictionary(grouping: commit.appended) { Coverage.Series(area: $0.logFile.area, day: $0.logFile.day) }
    for (series, extents) in written where extents.allSatisfy(\.origins.isEmpty) {
      let before = removed.filter { $0.name.area == series.area && $0.name.day == series.day }.sorted { $0.name < $1.name }
      var known: [RecordOrigin] = []
      for piece in before.flatMap(\.extents) { known.append(joining: piece.origins) }
      guard let first = known.map(\.commit).min() else { continue }
      let records = extents.reduce(0) { $0 + $1.records }
      if known.recordCount != records { known = [RecordOrigin(commit: first, records: records)] }
      for extent in extents where extent.records > 0 { origins[extent] = known.takeFirst(extent.records) }
    }
  }

  /// The inferred origins of an extent, or an empty array if its own commit brought the records.
  subscript(extent: Extent) -> [RecordOrigin] { origins[extent] ?? [] }
}
