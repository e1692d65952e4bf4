import Dispatch
import FunnelSystem

/// A queue that reorders the members of a commit: many threads compress them in any order, one thread takes them in sequence.
final class MemberQueue: Sendable {
  private struct State {
    var next = 0
    var isClosed = false
    var ready: [Int: EncodedMember] = [:]
  }

  private let count: Int
  private let state = Guarded(State())
  /// The number of members that may still be started before one is taken.
  private let room = DispatchSemaphore(value: 0)
  /// Signals each member that becomes ready, to the one thread that takes them.
  private let news = DispatchSemaphore(value: 0)

  /// Creates a queue for `count` members, of which at most `aheadMax` are started and not yet taken.
  init(count: Int, aheadMax: Int) {
    self.count = count
    for _ in 0..<aheadMax { room.signal() }
  }

  /// Waits for room and returns the index of the next member to compress, or nil if there is none left.
  func takeIndex() -> Int? {
    room.wait()
    let index = state.withLock { state -> Int? in
      guard !state.isClosed, state.next < count else { return nil }
      state.next += 1
      return state.next - 1
    }
    // Wake the next waiting thread, so that it ends as well.
    if index == nil { room.signal() }
    return index
  }

  /// Stores a member that was compressed.
  func put(_ member: EncodedMember, at index: Int) {
    state.withLock { $0.ready[index] = member }
    news.signal()
  }

  /// Waits for a member, removes it from the queue, and returns it.
  func member(_ index: Int) -> EncodedMember {
    while true {
      if let member = state.withLock({ $0.ready.removeValue(forKey: index) }) {
        room.signal()
        return member
      }
      news.wait()
    }
  }

  /// Ends the queue: no further member is started.
  func close() {
    state.withLock { $0.isClosed = true }
    room.signal()
  }
}
