package import FunnelIngest
internal import FunnelSystem

/// The recorders of one command: they take the events of blocks into the index while they are decoded.
///
/// A block borrows a recorder, so that there are no more recorders than blocks under way, and gives it back when its rows are taken.
package final class IndexRecorderPool: Sendable {
  /// A recorder in one thread's hands. It changes hands through the pool's lock and the pipeline's.
  final class Lease: EventRecorder, @unchecked Sendable {
    var recorder: IndexRecorder
    /// The recorder's dictionaries as of its last block that was taken; touched only by the thread that takes blocks.
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

  /// What the codes of all blocks taken so far mean, by the number of their recorder. To be asked by the thread that takes them.
  package var dictionaries: [IndexDictionaries] { state.withLock { $0.all }.map(\.dictionaries) }

  /// What blocks are decoded for; the identities of events only where somebody else asks for them, as the rows have what makes them.
  package func wants(records: Bool, identities: Bool = false) -> DecodingWants {
    DecodingWants(records: records, identities: identities) { self.borrow() }
  }

  /// The rows of a block, whose recorder is free again; nil where it had no event.
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
