internal import Dispatch
internal import FunnelSystem

/// Performs pieces of work one after another on a background thread, so that the caller can prepare the next one meanwhile.
///
/// Only one piece is in progress, and handing over the next one waits for it, so memory holds a bounded number of them.
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

  /// Creates the background thread, if it is needed.
  ///
  /// - Parameter isInFront: Whether all work is done on the caller's thread.
  init(isInFront: Bool) {
    self.isInFront = isInFront
    room.signal()
    if !isInFront { thread.start { self.work() } }
  }

  /// Begins a piece of work when those before are done.
  ///
  /// - Throws: The error of an earlier piece; then this one is not begun.
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

  /// Waits until all work is done; no work can be begun afterwards.
  ///
  /// - Throws: The error of a piece.
  func finish() throws {
    wait()
    if let failure = state.withLock({ $0.failure.take() }) { throw failure }
  }

  /// Waits until all work is done, even if it failed; no work can be begun afterwards.
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
