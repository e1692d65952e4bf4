/// A semaphore for tasks, with a limited queue of waiting tasks in first-in, first-out order.
actor AsyncSemaphore {
  /// The error for a task that finds the queue full.
  struct Full: Error {}

  private var free: Int
  private let waitingMax: Int
  private var waiting: [Waiter] = []
  /// The number of tasks that have waited, for IDs.
  private var waiterCount = 0

  /// A task that waits.
  private struct Waiter {
    let id: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  /// - Parameters:
  ///   - count: The number of tasks that may run at the same time.
  ///   - waitingMax: The largest number of waiting tasks.
  init(count: Int, waitingMax: Int) {
    precondition(count > 0, "a semaphore admits a task")
    free = count
    self.waitingMax = waitingMax
  }

  /// Waits for the semaphore and calls a body.
  ///
  /// - Throws: ``Full``, `CancellationError` if the task is cancelled while it waits, or the error of the body.
  func work<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
    try await enter()
    defer { leave() }
    return try await body()
  }

  private func enter() async throws {
    if free > 0 {
      free -= 1
      return
    }
    guard waiting.count < waitingMax else { throw Full() }
    waiterCount += 1
    let id = waiterCount
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        waiting.append(Waiter(id: id, continuation: continuation))
      }
    } onCancel: {
      Task { await self.giveUp(id) }
    }
  }

  /// Removes a waiting task that was cancelled.
  private func giveUp(_ id: Int) {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
    waiting.remove(at: index).continuation.resume(throwing: CancellationError())
  }

  /// Releases the semaphore, or passes it to the first waiting task.
  private func leave() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().continuation.resume() }
  }
}
