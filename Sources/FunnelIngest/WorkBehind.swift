internal import Dispatch
internal import Synchronization

/// Does one piece of work after the other on a thread of its own, so that the caller can prepare the next meanwhile.
///
/// At most one piece is under way: who hands over the next waits for the one before. So memory holds at most two.
final class WorkBehind: Sendable {
  private let failure = Mutex<(any Error)?>(nil)
  private let work = DispatchGroup()
  private let isInFront: Bool

  /// - Parameter isInFront: Whether the caller's thread does all the work itself.
  init(isInFront: Bool) {
    self.isInFront = isInFront
  }

  /// Begins a piece of work, after the one before.
  ///
  /// - Throws: what the one before threw; then this one is not begun.
  func begin(_ piece: @escaping @Sendable () throws -> Void) throws {
    if isInFront { return try piece() }
    try finish()
    DispatchQueue.global(qos: .userInitiated).async(group: work) {
      do {
        try piece()
      } catch {
        self.failure.withLock { $0 = error }
      }
    }
  }

  /// Waits until all work is done.
  ///
  /// - Throws: what the last piece threw.
  func finish() throws {
    wait()
    if let error = failure.withLock({ $0.take() }) { throw error }
  }

  /// Waits until all work is done, whatever came of it.
  func wait() { work.wait() }
}
