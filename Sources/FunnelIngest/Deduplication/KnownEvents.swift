package import FunnelStore
internal import FunnelModel

/// Says which events a store holds already, and is told which it holds from now on.
///
/// Blocks are recorded on the thread that takes them; batches are asked about on another, one after the other, and noted on a third as they
/// are committed, in the same order. So a batch may be asked about while those before are not committed yet: their events count as held.
package protocol KnownEvents: AnyObject, Sendable {
  /// What was taken of a batch's events.
  associatedtype Recording: Sendable

  /// What blocks are decoded for: their records, and what it takes to know their events again.
  var wants: DecodingWants { get }
  /// Takes over the recorder of a block. On the thread that decodes, block after block.
  func record(_ block: inout DecodedBlock)
  /// What was recorded since the last call: the blocks of a batch, in order.
  func takeRecording() -> Recording

  /// For each event of a batch whether it is left out: because the store holds it, or because another one of the batch is the same event
  /// and comes first, by time and then by the bytes of its record.
  func duplicates(in batch: EventBatch, _ recording: Recording) throws -> [Bool]
  /// Notes what became of the first batch that was asked about and not noted yet: it was committed without its duplicates.
  ///
  /// - Parameter commit: The commit; nil where none was made: nothing was new, it is a dry run, or it failed, after which nothing follows.
  func noteCommitted(as commit: Commit?) throws
  /// Notes that no batch will follow.
  func finish() throws
}

/// Finds known events by reading the whole store, and remembers what the run has added to it since.
package final class ScannedStore: KnownEvents, @unchecked Sendable {
  /// The store as it was when the run began; nil where there was none.
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

  /// For each event of the blocks, whether the store, or a batch asked about before, holds it.
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
