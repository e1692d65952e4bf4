import FunnelDecoding
import FunnelModel
import FunnelSystem

extension EventBatch {
  /// Marks the duplicates in the batch. Of the events with one identity, the first by time and then by the bytes of its
  /// record is kept.
  ///
  /// - Parameters:
  ///   - isDropped: Whether each event is dropped already. On return, duplicates are marked too.
  ///   - threads: The number of threads to use.
  func dropDuplicates(from isDropped: inout [Bool], threads: Int) throws(FunnelError) {
    precondition(isDropped.count == count, "each event is dropped or not")
    // Events are partitioned by bits of their identities, so threads share nothing and the hash table of a partition fits
    // into a cache. This is for ingests without an index. With an index, whose rows are sorted by subject, `OwnDuplicates`
    // finds the same duplicates without a hash table. `KnownEventsTests` tests both.
    let partition = IdentityPartition(self, without: isDropped)
    // Partitions contain different events, and one thread processes each, so no two threads write the same element.
    nonisolated(unsafe) let flags = UnsafeMutableBufferPointer<Bool>.allocate(capacity: isDropped.count)
    defer { flags.deallocate() }
    _ = flags.initialize(from: isDropped)
    let runs = min(partition.partCount, max(1, threads) * runsPerThread)
    _ = try Parallel.map(count: runs, threads: threads) { (run) throws(FunnelError) in
      var filter = DuplicateFilter(batch: self)
      for part in (partition.partCount * run / runs)..<(partition.partCount * (run + 1) / runs) {
        filter.drop(from: partition.entries(ofPart: part)) { flags[$0] = true }
      }
    }
    isDropped = Array(flags)
  }
}

/// The number of work items for each thread. Several items even out differences in their duration.
private let runsPerThread = 4

/// A reference to an event, with half of its identity.
private struct IdentityEntry {
  /// The low word of the identity.
  var low: UInt64
  /// The index of the block in the batch.
  var block: UInt32
  /// The index of the event in the block.
  var index: UInt32

  /// The position of the event in the batch.
  var position: EventBatch.Position { EventBatch.Position(block: Int(block), event: Int(index)) }
}

/// The events of a batch, partitioned by the first bits of their identities.
private struct IdentityPartition: Sendable {
  /// The mean number of events in a part. With its hash table, a part fits into the second-level cache of a core.
  private static let partEventsTarget = 4096
  /// The maximum number of bits that select a part, which bounds the number of parts.
  private static let partBitsMax: UInt64 = 16

  /// The events, part by part.
  private let sorted: [IdentityEntry]
  /// The index in ``sorted`` after the last event of each part.
  private let ends: [Int]

  /// The number of parts, a power of two.
  var partCount: Int { ends.count }

  /// Partitions the events that are not dropped.
  init(_ batch: EventBatch, without isDropped: [Bool]) {
    // This is a counting sort: the counts of the parts become their start offsets, and then their end offsets.
    var bits: UInt64 = 0
    while batch.count >> bits > Self.partEventsTarget, bits < Self.partBitsMax { bits += 1 }
    // A shift by 64 results in 0 in Swift, so with no bits there is one part.
    let shift = 64 - bits
    var offsets = [Int](repeating: 0, count: 1 << bits)
    for (block, first) in zip(batch.blocks, batch.firstNumbers) {
      for (index, event) in block.events.enumerated() where !isDropped[first + index] {
        offsets[Int(event.identity.high >> shift)] += 1
      }
    }
    var total = 0
    for part in offsets.indices {
      let count = offsets[part]
      offsets[part] = total
      total += count
    }
    sorted = [IdentityEntry](unsafeUninitializedCapacity: total) { entries, count in
      offsets.withUnsafeMutableBufferPointer { offsets in
        for (number, (block, first)) in zip(batch.blocks, batch.firstNumbers).enumerated() {
          for (index, event) in block.events.enumerated() where !isDropped[first + index] {
            let part = Int(event.identity.high >> shift)
            (entries.baseAddress! + offsets[part]).initialize(
              to: IdentityEntry(low: event.identity.low, block: UInt32(number), index: UInt32(index)))
            offsets[part] += 1
          }
        }
      }
      count = total
    }
    ends = offsets
  }

  /// Returns the events of a part.
  func entries(ofPart part: Int) -> ArraySlice<IdentityEntry> { sorted[(part == 0 ? 0 : ends[part - 1])..<ends[part]] }
}

/// Finds the duplicates in a part, with a hash table with open addressing.
private struct DuplicateFilter {
  let batch: EventBatch
  /// The number of the entry in each slot, from 1, or ``emptySlot``.
  private var slots: [UInt32] = []

  private static let emptySlot: UInt32 = 0
  /// The minimum number of slots, a power of two.
  private static let slotCountMin = 16

  init(batch: EventBatch) {
    self.batch = batch
  }

  /// Passes the number of each duplicate among some events to a closure.
  mutating func drop(from entries: ArraySlice<IdentityEntry>, _ drop: (Int) -> Void) {
    // At most half of the slots are used.
    var slotCount = Self.slotCountMin
    while slotCount < entries.count * 2 { slotCount *= 2 }
    slots.removeAll(keepingCapacity: true)
    slots.append(contentsOf: repeatElement(Self.emptySlot, count: slotCount))
    let mask = UInt64(slotCount - 1)
    for index in entries.indices {
      let entry = entries[index]
      var slot = Int(entry.low & mask)
      while slots[slot] != Self.emptySlot {
        let other = entries[entries.startIndex + Int(slots[slot]) - 1]
        if other.low == entry.low, event(of: other).identity == event(of: entry).identity {
          let isSmaller = precedes(entry, other)
          drop(number(of: isSmaller ? other : entry))
          if isSmaller { slots[slot] = UInt32(index - entries.startIndex + 1) }
          break
        }
        slot = Int(UInt64(slot + 1) & mask)
      }
      if slots[slot] == Self.emptySlot { slots[slot] = UInt32(index - entries.startIndex + 1) }
    }
  }

  /// Returns the number of an event in the batch.
  private func number(of entry: IdentityEntry) -> Int { batch.firstNumbers[Int(entry.block)] + Int(entry.index) }

  private func event(of entry: IdentityEntry) -> DecodedBlock.Event {
    batch.blocks[Int(entry.block)].events[Int(entry.index)]
  }

  private func precedes(_ a: IdentityEntry, _ b: IdentityEntry) -> Bool {
    batch.precedes(a.position, b.position)
  }
}
