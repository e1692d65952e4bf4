internal import Dispatch
internal import FunnelSystem

/// Does pieces of work one after the other on a thread of its own, so that the caller can prepare the next meanwhile.
///
/// One piece may be under way; who hands over the next waits for it. So memory holds a bounded number of them.
final class WorkBehind: Sendable {
  typealias Piece = @Sendable () throws -> Void

  private struct State {
    var piece: Piece?
    var failure: (any Error)?
    var isEnded = false
  }

  private let state = Guarded(State())
  private let thread = ThreadGroup()
  private let news = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: 0)
  private let isInFront: Bool

  /// - Parameter isInFront: Whether the caller's thread does all the work itself.
  init(isInFront: Bool) {
    self.isInFront = isInFront
    room.signal()
    if !isInFront { thread.start { self.work() } }
  }

  /// Begins a piece of work, after those before.
  ///
  /// - Throws: what one before threw; then this one is not begun.
  func begin(_ piece: @escaping Piece) throws {
    if isInFront { return try piece() }
    room.wait()
    let failure = state.withLock { state -> (any Error)? in
      if state.failure == nil { state.piece = piece }
      return state.failure.take()
    }
    if let failure {
      room.signal()
      throw failure
    }
    news.signal()
  }

  /// Waits until all work is done; nothing more can be begun then.
  ///
  /// - Throws: what a piece threw.
  func finish() throws {
    wait()
    if let failure = state.withLock({ $0.failure.take() }) { throw failure }
  }

  /// Waits until all work is done, whatever came of it; nothing more can be begun then.
  func wait() {
    state.withLock { $0.isEnded = true }
    news.signal()
    thread.wait()
  }

  private func work() {
    while true {
      news.wait()
      let (piece, isEnded) = state.withLock { state in
        (state.piece.take(), state.isEnded)
      }
      guard let piece else {
        if isEnded { return }
        continue
      }
      do {
        try piece()
      } catch {
        state.withLock { $0.failure = error }
      }
      room.signal()
    }
  }
}
