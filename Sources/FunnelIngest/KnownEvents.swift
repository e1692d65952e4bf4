internal import FunnelLog
internal import FunnelModel

/// Says which events a store holds already.
package protocol KnownEvents {
  /// What the blocks it is asked about carry besides their records.
  associatedtype Sink: EventSink

  /// For each event of the blocks, in their order, whether the store holds it.
  ///
  /// It is asked once for each batch of a run, in order, each time after the batch before was committed: what it was asked about before
  /// is in the store as well.
  mutating func known(among blocks: [DecodedBlock<Sink>]) throws -> [Bool]
}

/// Finds known events by reading the whole store, and remembers what the run has added to it since.
struct ScannedStore: KnownEvents {
  /// The store as it was when the run began; nil where there was none.
  let store: StoreReader?
  let threads: Int
  private var taken: Set<Hash128> = []

  init(_ store: StoreReader?, threads: Int) {
    self.store = store
    self.threads = threads
  }

  mutating func known(among blocks: [DecodedBlock<NoEventSink>]) throws -> [Bool] {
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
}
