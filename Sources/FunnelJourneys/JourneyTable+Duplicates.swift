import FunnelIngest
import FunnelModel
import FunnelStorage

/// Duplicates in raw input (contract section 2): of the events with one identity that with the smallest time stays, and of those with the
/// smallest record.
///
/// Records are large, and only duplicates of one moment with different content ask for them, which hardly any input has. So they are not
/// kept: where it comes to that, the input is read once more for the few records in question.
extension JourneyTable {
  /// The canonical records of some events: by identity, and of one identity by the hash of the line.
  typealias Records = [Hash128: [UInt64: [UInt8]]]

  /// Removes all duplicates it can tell apart.
  ///
  /// - Parameter records: The records in question, where they are known.
  /// - Returns: Identities of which it takes the records to say which event stays; always empty where their records are given.
  mutating func removeDuplicates(threads: Int, records: Records = [:]) throws(FunnelError) -> Set<Hash128> {
    let table = self
    let results = try Parallel.map(count: Self.partitionCount, threads: threads) { (number) throws(FunnelError) in
      var filter = DuplicateFilter(records: records)
      for row in table.partitions[number] { filter.add(row) }
      return (rows: filter.kept, undecided: filter.undecided)
    }
    var undecided: Set<Hash128> = []
    for (number, result) in results.enumerated() {
      replaceRows(ofPartition: number, with: result.rows)
      undecided.formUnion(result.undecided)
    }
    return undecided
  }
}

/// Keeps one event of each identity.
private struct DuplicateFilter {
  let records: JourneyTable.Records
  private(set) var kept: [JourneyRow] = []
  private(set) var undecided: Set<Hash128> = []
  private var placeOfIdentity: [Hash128: Int] = [:]

  init(records: JourneyTable.Records) {
    self.records = records
  }

  mutating func add(_ row: JourneyRow) {
    guard let place = placeOfIdentity[row.identity] else {
      placeOfIdentity[row.identity] = kept.count
      return kept.append(row)
    }
    let other = kept[place]
    if row.milliseconds != other.milliseconds {
      if row.milliseconds < other.milliseconds { kept[place] = row }
    } else if row.lineHash != other.lineHash {
      decide(row, at: place)
    }
  }

  private mutating func decide(_ row: JourneyRow, at place: Int) {
    guard let known = records[row.identity], let new = known[row.lineHash], let old = known[kept[place].lineHash] else {
      undecided.insert(row.identity)
      return kept.append(row)
    }
    if new.lexicographicallyPrecedes(old) { kept[place] = row }
  }
}
