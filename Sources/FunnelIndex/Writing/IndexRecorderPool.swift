package import FunnelIngest
internal import FunnelSystem

/// The recorders of one command, which record the events of blocks while they are decoded.
///
/// A block borrows a recorder and returns it when its rows are taken, so there are never more recorders than blocks under way.
package final class IndexRecorderPool: Sendable {
  /// A recorder in use by one thread. The locks of the pool and the pipeline synchronize its transfer between threads.
  final class Lease: EventRecorder, @unchecked Sendable {
    var recorder: IndexRecorder
    /// The recorder's dictionaries as of its last block that was taken; accessed only by the thread that takes blocks.
    var dictionaries = IndexDictionaries()

    init(number: Int) {
      recorder = IndexRecorder(number: number)
    }

    func record(_ event: UnsafePointer<EventFields>, _ facts: UnsafeMutablePointer<EventTypes.Facts>) {
      guard let id = event.pointee.id else { return }
      recorder.record(event, id: id, facts)
    }
  }

  private struct State {
    var all: [Lease] = []
    var free: [Lease] = []
  }

  private let state = Guarded(State())

  package init() {}

  /// The dictionaries that decode all blocks taken so far, by recorder number. Only the thread that takes blocks may read them.
  package var dictionaries: [IndexDictionaries] { state.withLock { $0.all }.map(\.dictionaries) }

  /// Returns what blocks are decoded for. Identities are included only on request, as the rows contain the fields that make them up.
  package func wants(records: Bool, identities: Bool = false) -> DecodingWants {
    DecodingWants(records: records, identities: identities) { self.borrow() }
  }

  /// Returns the rows of a block and frees its recorder; nil if the block had no event.
  package func take(_ block: inout DecodedBlock) -> RecordedBlock? {
    guard let lease = block.recorder as? Lease else { return nil }
    block.recorder = nil
    let recorded = lease.recorder.takeBlock()
    lease.recorder.update(&lease.dictionaries)
    state.withLock { $0.free.append(lease) }
    return recorded.count > 0 ? recorded : nil
  }

  private func borrow() -> Lease {
    state.withLock { state in
      if let lease = state.free.popLast() { return lease }
      state.all.append(Lease(number: state.all.count))
      return state.all[state.all.count - 1]
    }
  }
}
