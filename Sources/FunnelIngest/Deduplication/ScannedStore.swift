package import FunnelDecoding
package import FunnelStore
internal import FunnelModel

/// Detects known events by reading the whole store, and keeps the identities of all events since in memory.
package final class ScannedStore: KnownEvents, @unchecked Sendable {
  /// The store at the start of the ingest, or `nil` if there is none.
  private let store: StoreReader?
  private let threads: Int
  /// The identities of the events of all batches so far.
  private var seen: Set<Hash128> = []

  /// Creates a detector for a store.
  ///
  /// - Parameters:
  ///   - store: The store, or `nil` if there is none.
  ///   - threads: The number of threads that read the store.
  package init(_ store: StoreReader?, threads: Int) {
    self.store = store
    self.threads = threads
  }

  package var wants: DecodingWants { DecodingWants() }
  package func record(_ block: inout DecodedBlock) {}
  package func takeRecording() {}

  package func duplicates(in batch: EventBatch, _ recording: Void) throws -> [Bool] {
    var isDropped = try known(among: batch.blocks)
    try batch.dropDuplicates(from: &isDropped, threads: threads)
    return isDropped
  }

  /// Returns whether each event of the blocks is in the store or in an earlier batch.
  private func known(among blocks: [DecodedBlock]) throws -> [Bool] {
    var known = seen
    if let store, store.eventCount > 0 {
      var candidates: Set<Hash128> = []
      for block in blocks { for event in block.events { candidates.insert(event.identity) } }
      known.formUnion(try StoredEvents.known(among: candidates, in: store, threads: threads))
    }
    var isKnown: [Bool] = []
    isKnown.reserveCapacity(blocks.reduce(0) { $0 + $1.events.count })
    for block in blocks { for event in block.events { isKnown.append(known.contains(event.identity)) } }
    // Releases the copy, so that the insertions below need not copy the set again.
    known = []
    for block in blocks { for event in block.events { seen.insert(event.identity) } }
    return isKnown
  }

  package func noteCommitted(as commit: Commit?) {}
  package func finish() {}
}
