import FunnelModel
import FunnelSystem

extension EventBatch {
  /// Drops duplicates: of the events with one identity, the smallest by time and then by the bytes of its record is kept.
  ///
  /// Events are first partitioned by bits of their identity, so that threads share nothing and the table of a partition fits into a cache.
  /// With an index, whose rows are sorted by subject already, `OwnDuplicates` finds the same duplicates without a table; this is for
  /// ingests without one. One suite of tests holds for both (`KnownEventsTests`).
  ///
  /// - Parameter isDropped: For each event, whether it was dropped before; on return, whether it is dropped now.
  func dropDuplicates(from isDropped: inout [Bool], threads: Int) throws(FunnelError) {
    let partition = IdentityPartition(self, without: isDropped)
    // Partitions hold different events, and each is processed by one thread, so no two threads write the same element.
    nonisolated(unsafe) let flags = UnsafeMutableBufferPointer<Bool>.allocate(capacity: isDropped.count)
    defer { flags.deallocate() }
    _ = flags.initialize(from: isDropped)
    let runs = min(partition.partCount, max(1, threads) * 4)
    _ = try Parallel.map(count: runs, threads: threads) { (run) throws(FunnelError) in
      var filter = DuplicateFilter(batch: self)
      for part in (partition.partCount * run / runs)..<(partition.partCount * (run + 1) / runs) {
        filter.drop(from: partition.entries(ofPart: part)) { flags[$0] = true }
      }
    }
    isDropped = Array(flags)
  }
}

/// An event in the search for duplicates: half of its identity, and its place.
private struct IdentityEntry {
  var low: UInt64
  var block: UInt32
  var index: UInt32
}

/// The events of a batch, partitioned by the first bits of their identities.
private struct IdentityPartition: Sendable {
  /// The mean number of events in a partition: with its table, it should fit into a core's second-level cache.
  private static let partEventsTarget = 4096

  private let sorted: [IdentityEntry]
  private let ends: [Int]

  var partCount: Int { ends.count }

  init(_ batch: EventBatch, without isDropped: [Bool]) {
    var bits: UInt64 = 0
    while batch.count >> bits > Self.partEventsTarget, bits < 16 { bits += 1 }
    // A shift by 64 results in 0 in Swift: with no bits there is one partition.
    let shift = 64 - bits
    var places = [Int](repeating: 0, count: 1 << bits)
    for (block, first) in zip(batch.blocks, batch.firstNumbers) {
      for (index, event) in block.events.enumerated() where !isDropped[first + index] {
        places[Int(event.identity.high >> shift)] += 1
      }
    }
    var total = 0
    for part in places.indices { (places[part], total) = (total, total + places[part]) }
    sorted = [IdentityEntry](unsafeUninitializedCapacity: total) { entries, count in
      places.withUnsafeMutableBufferPointer { places in
        for (number, (block, first)) in zip(batch.blocks, batch.firstNumbers).enumerated() {
          for (index, event) in block.events.enumerated() where !isDropped[first + index] {
            let part = Int(event.identity.high >> shift)
            (entries.baseAddress! + places[part]).initialize(
              to: IdentityEntry(low: event.identity.low, block: UInt32(number), index: UInt32(index)))
            places[part] += 1
          }
        }
      }
      count = total
    }
    ends = places
  }

  func entries(ofPart part: Int) -> ArraySlice<IdentityEntry> { sorted[(part == 0 ? 0 : ends[part - 1])..<ends[part]] }
}

/// Finds the duplicates in a partition with a hash table with open addressing.
private struct DuplicateFilter {
  let batch: EventBatch
  /// The number of an entry for each slot, from 1; 0 for an empty slot.
  private var slots: [UInt32] = []

  init(batch: EventBatch) {
    self.batch = batch
  }

  mutating func drop(from entries: ArraySlice<IdentityEntry>, _ drop: (Int) -> Void) {
    var slotCount = 16
    while slotCount < entries.count * 2 { slotCount *= 2 }
    slots.removeAll(keepingCapacity: true)
    slots.append(contentsOf: repeatElement(0, count: slotCount))
    let mask = UInt64(slotCount - 1)
    for place in entries.indices {
      let entry = entries[place]
      var slot = Int(entry.low & mask)
      while slots[slot] != 0 {
        let other = entries[entries.startIndex + Int(slots[slot]) - 1]
        if other.low == entry.low, event(of: other).identity == event(of: entry).identity {
          let isSmaller = precedes(entry, other)
          drop(number(of: isSmaller ? other : entry))
          if isSmaller { slots[slot] = UInt32(place - entries.startIndex + 1) }
          break
        }
        slot = Int(UInt64(slot + 1) & mask)
      }
      if slots[slot] == 0 { slots[slot] = UInt32(place - entries.startIndex + 1) }
    }
  }

  private func number(of entry: IdentityEntry) -> Int { batch.firstNumbers[Int(entry.block)] + Int(entry.index) }

  private func event(of entry: IdentityEntry) -> DecodedBlock.Event {
    batch.blocks[Int(entry.block)].events[Int(entry.index)]
  }

  private func precedes(_ a: IdentityEntry, _ b: IdentityEntry) -> Bool {
    batch.precedes((Int(a.block), Int(a.index)), (Int(b.block), Int(b.index)))
  }
}
