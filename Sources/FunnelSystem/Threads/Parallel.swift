import Dispatch
package import FunnelModel

/// Parallel execution of independent work. It returns when all work is done.
///
/// To process results one after another while later ones are computed, with few in memory, use ``OrderedPipeline``.
package enum Parallel {
  /// Returns the results of `body(0)` to `body(count - 1)`, in this order, computed by at most `threads` threads at once.
  ///
  /// - Parameters:
  ///   - count: The number of results.
  ///   - threads: The maximum number of threads. With 1 or less, all work is done on the calling thread.
  ///   - body: A closure that computes the result of an index. Called on any thread.
  /// - Throws: The error of the lowest index that failed. Work that was not started by then is skipped.
  package static func map<Result: Sendable>(
    count: Int, threads: Int, _ body: @Sendable (Int) throws(FunnelError) -> Result
  ) throws(FunnelError) -> [Result] {
    let progress = Progress<Result>(count: count)
    let workers = min(threads, count)
    if workers <= 1 {
      progress.work(body)
    } else {
      withoutActuallyEscaping(body) { body in
        DispatchQueue.concurrentPerform(iterations: workers) { _ in progress.work(body) }
      }
    }
    return try progress.results()
  }

  /// The state shared by the threads: the next index, the results, and the failure with the lowest index.
  private final class Progress<Result: Sendable>: Sendable {
    private struct State: Sendable {
      var next = 0
      var results: [Result?]
      var failure: (index: Int, error: FunnelError)?
    }

    private let state: Guarded<State>
    private let count: Int

    init(count: Int) {
      self.count = count
      state = Guarded(State(results: Array(repeating: nil, count: count)))
    }

    /// Computes results until no index is left or a computation has failed.
    func work(_ body: (Int) throws(FunnelError) -> Result) {
      while let index = takeIndex() {
        do throws(FunnelError) {
          let result = try body(index)
          state.withLock { $0.results[index] = result }
        } catch {
          state.withLock { state in
            if let failure = state.failure, failure.index < index { return }
            state.failure = (index, error)
          }
        }
      }
    }

    /// Returns the results, or throws the error of the lowest index that failed.
    func results() throws(FunnelError) -> [Result] {
      let (results, failure) = state.withLock { ($0.results, $0.failure) }
      if let failure { throw failure.error }
      return results.compactMap { $0 }
    }

    /// Returns the next index, or `nil` if none is left or a computation has failed.
    private func takeIndex() -> Int? {
      state.withLock { state in
        guard state.failure == nil, state.next < count else { return nil }
        defer { state.next += 1 }
        return state.next
      }
    }
  }
}
