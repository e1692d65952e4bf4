internal import Dispatch
internal import FunnelSystem

/// A serial executor of tasks on a background thread. The caller prepares the next task while one runs.
///
/// At most one task is in progress. Starting another one waits for it, which bounds the memory of prepared tasks.
final class BackgroundExecutor: Sendable {
  typealias Task = @Sendable () throws -> Void

  private struct State {
    /// The task to run next, or `nil` if there is none.
    var task: Task?
    /// The error of a task that was not thrown to the caller yet.
    var failure: (any Error)?
    /// Whether no further task will be started.
    var isEnded = false
  }

  private let state = Guarded(State())
  private let thread = ThreadGroup()
  /// Signaled when there is a task, and at the end.
  private let available = DispatchSemaphore(value: 0)
  /// Signaled when the thread can accept a task.
  private let idle = DispatchSemaphore(value: 0)
  /// Whether tasks run on the thread of the caller.
  private let isSynchronous: Bool

  /// Creates an executor, and its thread if one is needed.
  ///
  /// - Parameter isSynchronous: Whether tasks run on the thread of the caller.
  init(isSynchronous: Bool) {
    self.isSynchronous = isSynchronous
    idle.signal()
    if !isSynchronous { thread.start { self.work() } }
  }

  /// Waits for the previous task and starts another one.
  ///
  /// - Throws: The error of an earlier task. The new one is then not started.
  func begin(_ task: @escaping Task) throws {
    if isSynchronous { return try task() }
    idle.wait()
    let failure = state.withLock { state -> (any Error)? in
      precondition(!state.isEnded, "no task is started after finish() or wait()")
      if state.failure == nil { state.task = task }
      return state.failure.take()
    }
    if let failure {
      idle.signal()
      throw failure
    }
    available.signal()
  }

  /// Waits for all tasks. No task may be started afterwards.
  ///
  /// - Throws: The error of a task.
  func finish() throws {
    wait()
    if let failure = state.withLock({ $0.failure.take() }) { throw failure }
  }

  /// Waits for all tasks and ignores their errors. No task may be started afterwards.
  func wait() {
    state.withLock { $0.isEnded = true }
    available.signal()
    thread.wait()
  }

  /// Runs tasks until the end. This is the body of the background thread.
  private func work() {
    while true {
      available.wait()
      let (task, isEnded) = state.withLock { state in
        (state.task.take(), state.isEnded)
      }
      guard let task else {
        if isEnded { return }
        continue
      }
      do {
        try task()
      } catch {
        state.withLock { $0.failure = error }
      }
      idle.signal()
    }
  }
}
