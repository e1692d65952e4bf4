package import FunnelLog
internal import FunnelModel

/// Says which events a store holds already, and is told which it holds from now on.
///
/// Blocks are recorded on the thread that decodes; the rest is asked of the one that commits. A batch is asked about once, after the
/// batch before was committed.
package protocol KnownEvents: AnyObject, Sendable {
  /// What was taken of a batch's events.
  associatedtype Recording: Sendable

  /// What blocks are decoded for: their records, and what it takes to know their events again.
  var wants: DecodingWants { get }
  /// Takes over the recorder of a block. On the thread that decodes, block after block.
  func record(_ block: inout DecodedBlock)
  /// What was recorded since the last call: the blocks of a batch, in order.
  func takeRecording() -> Recording

  /// For each event of the blocks, in their order, whether the store holds it.
  func known(among blocks: [DecodedBlock], _ recording: Recording) throws -> [Bool]
  /// Notes that events of the batch that was asked about last were committed.
  ///
  /// - Parameters:
  ///   - isDropped: For each event whether it was left out.
  ///   - commit: The commit; nil where it would have been made but for a dry run, or nothing was new.
  func noteCommitted(_ recording: Recording, isDropped: [Bool], as commit: Commit?) throws
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

  package func known(among blocks: [DecodedBlock], _ recording: Void) throws -> [Bool] {
    try known(among: blocks)
  }

  /// For each event of the blocks, whether the store, or a batch asked about before, holds it.
  package func known(among blocks: [DecodedBlock]) throws -> [Bool] {
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

  package func noteCommitted(_ recording: Void, isDropped: [Bool], as commit: Commit?) {}
  package func finish() {}
}
