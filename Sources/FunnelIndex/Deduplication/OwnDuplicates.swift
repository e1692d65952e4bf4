import FunnelDecoding
internal import FunnelIngest

/// A search for duplicates within one partition of a batch. Of equal events, all except the first one are dropped.
///
/// Duplicates belong to one subject, whose rows are adjacent. They are found by a hash of their IDs, then
/// compared. An ingest without an index finds the same duplicates by hashes of the events
/// (``EventBatch/dropDuplicates(from:threads:)``).
struct OwnDuplicates {
  private let partition: BatchPartition
  private let events: EventNumbers

  /// The largest number of events of a subject that are compared pairwise.
  private static let comparedMax = 48

  /// Prepares a search. The partition must have its hashes (``BatchPartition/hashIDs()``).
  init(_ partition: BatchPartition, _ events: EventNumbers) {
    self.partition = partition
    self.events = events
  }

  /// Drops the duplicates.
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

  /// Returns whether two events of a range have IDs with the same hash.
  private func hasEqualHashes(_ range: Range<Int>) -> Bool {
    for event in range.dropFirst() {
      let hash = partition.idHash(event)
      for other in range.lowerBound..<event where partition.idHash(other) == hash { return true }
    }
    return false
  }

  /// Drops the duplicates among the events of one subject.
  private func drop(among range: Range<Int>) {
    // The events kept for each hash. They differ in name, or in ID if two hashes are equal by chance.
    var kept: [UInt64: [Int]] = [:]
    for event in range {
      let hash = partition.idHash(event)
      guard let index = kept[hash]?.firstIndex(where: { isSame($0, event) }), let other = kept[hash]?[index] else {
        kept[hash, default: []].append(event)
        continue
      }
      if events.precedes(partition.rows[event], partition.rows[other]) {
        kept[hash]?[index] = event
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

/// A map from the recorded rows of a batch to the numbers of its events. Blocks without events have no recorded block.
struct EventNumbers: Sendable {
  private let events: EventBatch
  /// The index of each recorded block among all blocks of the batch.
  private var blocks: [Int] = []
  /// The number of each recorded block's first event.
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

  private func position(of row: SortedRow) -> EventBatch.Position {
    EventBatch.Position(block: blocks[Int(row.block)], event: Int(row.row))
  }

  /// Returns the number of a row's event.
  func number(of row: SortedRow) -> Int { firstNumbers[Int(row.block)] + Int(row.row) }

  /// Returns whether one event precedes another by time, then by the bytes of its record.
  func precedes(_ a: SortedRow, _ b: SortedRow) -> Bool {
    events.precedes(position(of: a), position(of: b))
  }
}
