/// A cache of computed responses with a limited size. Evicts the least recently used response.
///
/// Concurrent requests for the same key share one computation.
actor ResponseCache {
  /// A computed page or file.
  struct Answer: Sendable {
    var status: Int
    var type: String
    var body: [UInt8]
  }

  /// A cached response.
  private struct Kept {
    var answer: Answer
    var lastUse: Int
  }

  /// A computation in progress.
  private struct Running {
    let number: Int
    let task: Task<Answer, any Error>
    /// The IDs of the requests that wait for it.
    var waiting: Set<Int>
  }

  /// The number of responses for which the cache has room at least. A larger response would evict too many others.
  private static let answerCountMin = 4

  private let bytesMax: Int
  private var kept: [String: Kept] = [:]
  private var running: [String: Running] = [:]
  /// The total size in bytes of the cached responses and their keys.
  private var bytes = 0
  /// The number of requests so far, which serves as a logical clock and for IDs.
  private var uses = 0

  /// - Parameter bytesMax: The largest total size of the cached responses, in bytes.
  init(bytesMax: Int) {
    self.bytesMax = bytesMax
  }

  /// Returns the response for a key, from the cache, from a computation in progress, or from a new computation.
  ///
  /// - Parameter compute: Computes the response. Its task is cancelled if all waiting requests are cancelled.
  func answer(for key: String, _ compute: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
    uses += 1
    if let answer = kept[key]?.answer {
      kept[key]?.lastUse = uses
      return answer
    }
    let found = running[key] ?? Running(number: uses, task: Task { try await compute() }, waiting: [])
    running[key] = found
    let request = uses
    running[key]?.waiting.insert(request)
    return try await withTaskCancellationHandler {
      defer { leave(key, found.number, request) }
      let answer = try await found.task.value
      keep(answer, for: key)
      return answer
    } onCancel: {
      Task { await self.cancel(key, found.number, request) }
    }
  }

  /// Returns the number of requests that wait for the computation for a key.
  func waitingCount(for key: String) -> Int { running[key]?.waiting.count ?? 0 }

  /// Removes a request from those that wait for a computation. Returns whether it was the last one.
  @discardableResult
  private func leave(_ key: String, _ number: Int, _ request: Int) -> Bool {
    guard let found = running[key], found.number == number, found.waiting.contains(request) else { return false }
    running[key]?.waiting.remove(request)
    guard found.waiting.count == 1 else { return false }
    // The next request starts a new computation.
    running[key] = nil
    return true
  }

  /// Cancels a request, and the computation if no other request waits for it.
  private func cancel(_ key: String, _ number: Int, _ request: Int) {
    guard let task = running[key]?.task, leave(key, number, request) else { return }
    task.cancel()
  }

  /// Caches a response, and evicts others if necessary.
  private func keep(_ answer: Answer, for key: String) {
    // Errors are not cached, because they may be temporary.
    guard kept[key] == nil, answer.status == 200, answer.body.count <= bytesMax / Self.answerCountMin else { return }
    kept[key] = Kept(answer: answer, lastUse: uses)
    bytes += answer.body.count + key.utf8.count
    while bytes > bytesMax, let oldest = kept.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      bytes -= oldest.value.answer.body.count + oldest.key.utf8.count
      kept[oldest.key] = nil
    }
  }
}

/// A semaphore for tasks, with a limited queue of waiting tasks in first-in, first-out order.
actor AsyncSemaphore {
  /// The error for a task that finds the queue full.
  struct Full: Error {}

  private var free: Int
  private let waitingMax: Int
  private var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  private var numbers = 0

  /// - Parameters:
  ///   - count: The number of tasks that may run at the same time.
  ///   - waitingMax: The largest number of waiting tasks.
  init(count: Int, waitingMax: Int) {
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
    numbers += 1
    let number = numbers
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        waiting.append((number, continuation))
      }
    } onCancel: {
      Task { await self.giveUp(number) }
    }
  }

  /// Removes a waiting task that was cancelled.
  private func giveUp(_ number: Int) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: index).continuation.resume(throwing: CancellationError())
  }

  /// Releases the semaphore, or passes it to the first waiting task.
  private func leave() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().continuation.resume() }
  }
}
