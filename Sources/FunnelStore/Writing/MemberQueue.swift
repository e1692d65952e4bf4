import Dispatch
import FunnelSystem

/// Where the members of a commit change threads: many compress them in any order, one takes them in theirs.
final class MemberQueue: Sendable {
  private struct State {
    var next = 0
    var isClosed = false
    var ready: [Int: EncodedMember] = [:]
  }

  private let count: Int
  private let state = Guarded(State())
  /// Counts the members that may still be begun before one is taken.
  private let room = DispatchSemaphore(value: 0)
  private let news = DispatchSemaphore(value: 0)

  /// A queue for so many members, of which at most `aheadMax` are begun and not yet taken.
  init(count: Int, aheadMax: Int) {
    self.count = count
    for _ in 0..<aheadMax { room.signal() }
  }

  /// The next member to compress, once there is room for it; nil where there is none left.
  func takeIndex() -> Int? {
    room.wait()
    let index = state.withLock { state -> Int? in
      guard !state.isClosed, state.next < count else { return nil }
      state.next += 1
      return state.next - 1
    }
    // Whoever waits behind this thread is to go home as well.
    if index == nil { room.signal() }
    return index
  }

  /// Hands over a member that was compressed.
  func put(_ member: EncodedMember, at index: Int) {
    state.withLock { $0.ready[index] = member }
    news.signal()
  }

  /// Waits for a member.
  func member(_ index: Int) -> EncodedMember {
    while true {
      if let member = state.withLock({ $0.ready.removeValue(forKey: index) }) {
        room.signal()
        return member
      }
      news.wait()
    }
  }

  /// Lets nobody begin another member.
  func close() {
    state.withLock { $0.isClosed = true }
    room.signal()
  }
}
