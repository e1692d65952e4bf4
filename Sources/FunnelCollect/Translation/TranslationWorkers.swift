import Dispatch
import FunnelModel
import FunnelSystem

/// Threads that translate batches, each with a translator of its own.
final class TranslationWorkers: Sendable {
  typealias Job = @Sendable (BatchTranslator) -> Void

  private struct State {
    /// The jobs that no thread has begun, the oldest last.
    var waiting: [Job] = []
    var isClosed = false
  }

  private let state = Guarded(State())
  private let threads = ThreadGroup()
  /// Signaled for each job, and at the end for each thread.
  private let available = DispatchSemaphore(value: 0)
  private let count: Int

  /// Starts threads.
  ///
  /// - Parameter makeTranslator: Creates the translator of a thread.
  init(count: Int, makeTranslator: @escaping @Sendable () -> BatchTranslator) {
    precondition(count > 0, "somebody must work")
    self.count = count
    for _ in 0..<count {
      threads.start { self.work(makeTranslator()) }
    }
  }

  /// Runs a job on one of the threads. Nothing happens after ``close()``.
  func run(_ job: @escaping Job) {
    let isTaken = state.withLock { state in
      guard !state.isClosed else { return false }
      state.waiting.insert(job, at: 0)
      return true
    }
    if isTaken { available.signal() }
  }

  /// Waits for the jobs that were taken, and ends the threads.
  func close() {
    state.withLock { $0.isClosed = true }
    for _ in 0..<count { available.signal() }
    threads.wait()
  }

  private func work(_ translator: BatchTranslator) {
    while true {
      available.wait()
      guard let job = state.withLock({ $0.waiting.popLast() }) else {
        if state.withLock({ $0.isClosed }) { return }
        continue
      }
      job(translator)
    }
  }
}
