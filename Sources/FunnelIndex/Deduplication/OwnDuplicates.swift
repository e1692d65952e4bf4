internal import FunnelIngest

/// Drops the events of one partition of a batch of which the batch has another that is the same and comes first.
///
/// Duplicates have one subject, whose rows lie together; they are told by a hash of their ids, few of which are equal.
struct OwnDuplicates {
  private let partition: BatchPartition
  private let events: EventNumbers

  /// Up to how many events of a subject each is compared with each.
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
    // Of each hash the events that stay; they differ in name, or their ids are of one hash by chance.
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

/// Where the recorded rows of a batch are among its events: a block without events was not recorded.
struct EventNumbers: Sendable {
  private let events: EventBatch
  private var blocks: [Int] = []
  private var firstNumbers: [Int] = []
  /// Number of events.
  private(set) var count = 0

  init(_ events: EventBatch) {
    self.events = events
    for (number, block) in events.blocks.enumerated() where !block.events.isEmpty {
      blocks.append(number)
      firstNumbers.append(count)
      count += block.events.count
    }
  }

  /// The number of an event.
  func number(of row: SortedRow) -> Int { firstNumbers[Int(row.block)] + Int(row.row) }

  /// Whether one event comes before another, by time and then by the bytes of its record.
  func precedes(_ a: SortedRow, _ b: SortedRow) -> Bool {
    events.precedes((blocks[Int(a.block)], Int(a.row)), (blocks[Int(b.block)], Int(b.row)))
  }
}
