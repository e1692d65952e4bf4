internal import FunnelIngest

/// Drops those events of one partition of a batch that duplicate another event of the batch which comes first.
///
/// Duplicates belong to one subject, whose rows are adjacent; they are found by a hash of their ids, which rarely collides. An ingest
/// without an index has no such rows; it finds the same duplicates by hashes of the events (``EventBatch/dropDuplicates(from:threads:)``).
struct OwnDuplicates {
  private let partition: BatchPartition
  private let events: EventNumbers

  /// The largest number of events of a subject that are compared pairwise.
  private static let comparedMax = 48

  init(_ partition: BatchPartition, _ events: EventNumbers) {
    self.partition = partition
    self.events = events
  }

  func drop() {
    let rows = partition.rows
    var start = 0
    while start < rows.count {
      var end = start + 1
      while end < rows.count, rows[end].isOfSameSubject(as: rows[start]) { end += 1 }
      if end - start > Self.comparedMax || hasEqualHashes(start..<end) { drop(among: start..<end) }
      start = end
    }
  }

  private func hasEqualHashes(_ range: Range<Int>) -> Bool {
    for event in range.dropFirst() {
      let hash = partition.idHash(event)
      for other in range.lowerBound..<event where partition.idHash(other) == hash { return true }
    }
    return false
  }

  private func drop(among range: Range<Int>) {
    // The events kept for each hash; they differ in name, or their ids collide by chance.
    var kept: [UInt64: [Int]] = [:]
    for event in range {
      let hash = partition.idHash(event)
      guard let place = kept[hash]?.firstIndex(where: { isSame($0, event) }), let other = kept[hash]?[place] else {
        kept[hash, default: []].append(event)
        continue
      }
      if events.precedes(partition.rows[event], partition.rows[other]) {
        kept[hash]?[place] = event
        partition.drop(other)
      } else {
        partition.drop(event)
      }
    }
  }

  private func isSame(_ a: Int, _ b: Int) -> Bool {
    partition.name(a) == partition.name(b) && partition.row(a).id.isEqual(to: partition.row(b).id)
  }
}

/// Maps the recorded rows of a batch to the numbers of its events. Blocks without events are not recorded.
struct EventNumbers: Sendable {
  private let events: EventBatch
  private var blocks: [Int] = []
  private var firstNumbers: [Int] = []
  /// The number of events.
  private(set) var count = 0

  init(_ events: EventBatch) {
    self.events = events
    for (number, block) in events.blocks.enumerated() where !block.events.isEmpty {
      blocks.append(number)
      firstNumbers.append(count)
      count += block.events.count
    }
  }

  /// Returns the number of a row's event.
  func number(of row: SortedRow) -> Int { firstNumbers[Int(row.block)] + Int(row.row) }

  /// Returns whether one event comes before another, by time and then by the bytes of its record.
  func precedes(_ a: SortedRow, _ b: SortedRow) -> Bool {
    events.precedes((blocks[Int(a.block)], Int(a.row)), (blocks[Int(b.block)], Int(b.row)))
  }
}
