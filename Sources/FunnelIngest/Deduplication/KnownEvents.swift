package import FunnelStore
internal import FunnelModel

/// Tells which events a store already holds, and is notified of those that are added.
///
/// Blocks are recorded on the thread that takes them. Batches are queried on a second thread, one after another, and noted on a third as
/// they are committed, in the same order. So a batch may be queried while earlier ones are not committed yet: their events count as held.
package protocol KnownEvents: AnyObject, Sendable {
  /// The information recorded about a batch's events.
  associatedtype Recording: Sendable

  /// The parts of events that decoding has to provide: their records, and the information that identifies them.
  var wants: DecodingWants { get }
  /// Takes over the recorder of a block. Called for one block after another on the thread that takes them.
  func record(_ block: inout DecodedBlock)
  /// Returns the information recorded since the last call: that of the blocks of a batch, in order.
  func takeRecording() -> Recording

  /// Returns for each event of a batch whether it is a duplicate: the store holds it, or another event of the batch is the same and
  /// precedes it by time and then by the bytes of its record.
  func duplicates(in batch: EventBatch, _ recording: Recording) throws -> [Bool]
  /// Notes the outcome of the first batch that was queried and not noted yet: it was committed without its duplicates.
  ///
  /// - Parameter commit: The commit, or nil if none was made: nothing was new, it is a dry run, or it failed, after which no batch follows.
  func noteCommitted(as commit: Commit?) throws
  /// Notes that no batch will follow.
  func finish() throws
}

/// Finds known events by reading the whole store, and keeps the identities of all events queried since.
package final class ScannedStore: KnownEvents, @unchecked Sendable {
  /// The store as it was when the ingest began, or nil if there was none.
  private let store: StoreReader?
  private let threads: Int
  private var taken: Set<Hash128> = []

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

  /// Returns for each event of the blocks whether the store, or a batch queried before, holds it.
  private func known(among blocks: [DecodedBlock]) throws -> [Bool] {
    var known = taken
    if let store, store.eventCount > 0 {
      var candidates: Set<Hash128> = []
      for block in blocks { for event in block.events { candidates.insert(event.identity) } }
      known.formUnion(try StoredEvents.known(among: candidates, in: store, threads: threads))
    }
    var isKnown: [Bool] = []
    isKnown.reserveCapacity(blocks.reduce(0) { $0 + $1.events.count })
    for block in blocks { for event in block.events { isKnown.append(known.contains(event.identity)) } }
    known = []
    for block in blocks { for event in block.events { taken.insert(event.identity) } }
    return isKnown
  }

  package func noteCommitted(as commit: Commit?) {}
  package func finish() {}
}
