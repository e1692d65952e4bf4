/// What was computed for a commit and a question, up to a number of bytes; and what is being computed, once for all who wait.
actor ResponseCache {
  /// A page or a file.
  struct Answer: Sendable {
    var status: Int
    var type: String
    var body: [UInt8]
  }

  private struct Kept {
    var answer: Answer
    var lastUse: Int
  }

  private struct Running {
    let number: Int
    let task: Task<Answer, any Error>
    /// The requests that wait for it.
    var waiting: Set<Int>
  }

  private let bytesMax: Int
  private var kept: [String: Kept] = [:]
  private var running: [String: Running] = [:]
  private var bytes = 0
  private var uses = 0

  /// - Parameter bytesMax: The number of bytes of answers to keep.
  init(bytesMax: Int) {
    self.bytesMax = bytesMax
  }

  /// Returns the answer of a key: one that is kept, or one that is being computed, or else a new one.
  ///
  /// - Parameter compute: Computes the answer. Its task is cancelled when nobody waits for it any more.
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

  /// Returns the number of requests that wait for the answer of a key.
  func waitingCount(for key: String) -> Int { running[key]?.waiting.count ?? 0 }

  /// Removes a request from those that wait for a computation, and returns whether it was the last one.
  @discardableResult
  private func leave(_ key: String, _ number: Int, _ request: Int) -> Bool {
    guard let found = running[key], found.number == number, found.waiting.contains(request) else { return false }
    running[key]?.waiting.remove(request)
    guard found.waiting.count == 1 else { return false }
    // Whoever asks next computes anew.
    running[key] = nil
    return true
  }

  /// Cancels the computation that a request waits for, if no other does.
  private func cancel(_ key: String, _ number: Int, _ request: Int) {
    guard let task = running[key]?.task, leave(key, number, request) else { return }
    task.cancel()
  }

  private func keep(_ answer: Answer, for key: String) {
    // What went wrong may be right the next time.
    guard kept[key] == nil, answer.status == 200, answer.body.count <= bytesMax / 4 else { return }
    kept[key] = Kept(answer: answer, lastUse: uses)
    bytes += answer.body.count + key.utf8.count
    while bytes > bytesMax, let oldest = kept.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      bytes -= oldest.value.answer.body.count + oldest.key.utf8.count
      kept[oldest.key] = nil
    }
  }
}

/// Lets a number of tasks work at a time; the others wait in their order, up to a number.
actor AsyncSemaphore {
  /// There are too many that wait.
  struct Full: Error {}

  private var free: Int
  private let waitingMax: Int
  private var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  private var numbers = 0

  init(count: Int, waitingMax: Int) {
    free = count
    self.waitingMax = waitingMax
  }

  /// Calls `body` when there is a place.
  ///
  /// - Throws: ``Full``, `CancellationError` while it waits, or what `body` throws.
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

  private func giveUp(_ number: Int) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: index).continuation.resume(throwing: CancellationError())
  }

  private func leave() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().continuation.resume() }
  }
}
