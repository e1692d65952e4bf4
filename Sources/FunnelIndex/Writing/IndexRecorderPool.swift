package import FunnelDecoding
internal import FunnelSystem

/// A pool of recorders, each of which records the events of one block at a time while the block is decoded.
///
/// A block borrows a recorder until its rows are taken. There are never more recorders than blocks in progress.
package final class IndexRecorderPool: Sendable {
  /// A recorder that one thread uses at a time. The locks of the pool and the pipeline synchronize its transfer
  /// between threads.
  final class Lease: BlockRecorder, @unchecked Sendable {
    var recorder: IndexRecorder
    /// The recorder's dictionaries as of the last block taken. Accessed only by the thread that takes blocks.
    var dictionaries = IndexDictionaries()

    init(number: Int) {
      recorder = IndexRecorder(number: number)
    }

    func record(_ event: EventReference, _ facts: inout EventTypes.Facts) {
      guard let id = event.fields.id else { return }
      recorder.record(event.fields, id: BorrowedBytes(id), &facts)
    }
  }

  private struct State {
    /// All recorders, by number.
    var all: [Lease] = []
    /// The recorders that no block uses.
    var free: [Lease] = []
  }

  private let state = Guarded(State())

  package init() {}

  /// The dictionaries that decode all blocks taken so far, by recorder number. Only the thread that takes
  /// blocks may read them.
  package var dictionaries: [IndexDictionaries] { state.withLock { $0.all }.map(\.dictionaries) }

  /// Returns the decoding options for blocks that are recorded. Identities are optional, because the rows
  /// contain the fields that identify an event.
  package func wants(records: Bool, identities: Bool = false) -> DecodingWants {
    DecodingWants(records: records, identities: identities) { self.borrow() }
  }

  /// Takes the rows of a block and returns its recorder to the pool. Returns `nil` if the block has no events.
  package func take(_ block: inout DecodedBlock) -> RecordedBlock? {
    guard let lease = block.recorder as? Lease else { return nil }
    block.recorder = nil
    let recorded = lease.recorder.takeBlock()
    lease.recorder.update(&lease.dictionaries)
    state.withLock { $0.free.append(lease) }
    return recorded.count > 0 ? recorded : nil
  }

  /// Returns a free recorder, or a new one.
  private func borrow() -> Lease {
    state.withLock { state in
      if let lease = state.free.popLast() { return lease }
      state.all.append(Lease(number: state.all.count))
      return state.all[state.all.count - 1]
    }
  }
}
