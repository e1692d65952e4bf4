package import FunnelIngest
internal import Synchronization

/// Takes the events of a block into the index while they are decoded.
///
/// A block borrows a recorder from the pool, so that there are no more recorders than blocks under way, and gives it back when it is taken.
package struct IndexSink: EventSink {
  package let wantsRecords: Bool
  private let pool: IndexRecorderPool
  private var lease: IndexRecorderPool.Lease?

  /// A sink for the blocks of one decoding; each block gets a copy.
  package init(_ pool: IndexRecorderPool, wantsRecords: Bool) {
    self.pool = pool
    self.wantsRecords = wantsRecords
  }

  package mutating func append(_ event: EventFields, id: UnsafeRawBufferPointer, resolution: FlowResolver.Resolution) {
    if lease == nil { lease = pool.borrow() }
    lease?.recorder.record(event, id: id)
  }

  /// The rows of the block; nil where it had no event.
  package mutating func take() -> RecordedBlock? {
    guard let lease else { return nil }
    self.lease = nil
    let block = lease.recorder.takeBlock()
    lease.recorder.update(&lease.dictionaries)
    pool.giveBack(lease)
    return block
  }
}

/// The recorders of one command.
package final class IndexRecorderPool: Sendable {
  /// A recorder in one thread's hands. It changes hands through the pool's lock and the pipeline's.
  final class Lease: @unchecked Sendable {
    var recorder: IndexRecorder
    /// The recorder's dictionaries as of its last block that was taken; touched only by the thread that takes blocks.
    var dictionaries = IndexDictionaries()

    init(number: Int) {
      recorder = IndexRecorder(number: number)
    }
  }

  private struct State {
    var all: [Lease] = []
    var free: [Lease] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// What the codes of all blocks taken so far mean, by the number of their recorder. To be asked by the thread that takes them.
  package var dictionaries: [IndexDictionaries] { state.withLock { $0.all }.map(\.dictionaries) }

  fileprivate func borrow() -> Lease {
    state.withLock { state in
      if let lease = state.free.popLast() { return lease }
      state.all.append(Lease(number: state.all.count))
      return state.all[state.all.count - 1]
    }
  }

  fileprivate func giveBack(_ lease: Lease) { state.withLock { $0.free.append(lease) } }
}
