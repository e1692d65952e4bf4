/// A cache of computed responses with a limited size. Evicts the least recently used response.
///
/// Concurrent requests for the same key share one computation.
actor ResponseCache {
  /// A computed page or file.
  struct Response: Sendable {
    let status: Int
    /// The media type of the body.
    let type: String
    let body: [UInt8]
  }

  /// A cached response.
  private struct Entry {
    let response: Response
    /// The number of the last request for it.
    var lastUse: Int
  }

  /// A computation in progress.
  private struct Computation {
    let id: Int
    let task: Task<Response, any Error>
    /// The IDs of the requests that wait for it.
    var waiting: Set<Int>
  }

  /// The number of responses for which the cache has room at least. A larger response would evict too many others.
  private static let responseCountMin = 4

  private let bytesMax: Int
  private var entries: [String: Entry] = [:]
  private var computations: [String: Computation] = [:]
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
  func response(for key: String, _ compute: @escaping @Sendable () async throws -> Response) async throws -> Response {
    uses += 1
    let request = uses
    if let response = entries[key]?.response {
      entries[key]?.lastUse = request
      return response
    }
    var computation = computations[key] ?? Computation(id: request, task: Task { try await compute() }, waiting: [])
    computation.waiting.insert(request)
    computations[key] = computation
    let id = computation.id
    let task = computation.task
    return try await withTaskCancellationHandler {
      defer { leave(key, id, request) }
      let response = try await task.value
      keep(response, for: key)
      return response
    } onCancel: {
      Task { await self.cancel(key, id, request) }
    }
  }

  /// Returns the number of requests that wait for the computation for a key.
  func waitingCount(for key: String) -> Int { computations[key]?.waiting.count ?? 0 }

  /// Removes a request from those that wait for a computation. Returns whether it was the last one.
  @discardableResult
  private func leave(_ key: String, _ id: Int, _ request: Int) -> Bool {
    guard let computation = computations[key], computation.id == id, computation.waiting.contains(request) else { return false }
    computations[key]?.waiting.remove(request)
    guard computation.waiting.count == 1 else { return false }
    // The next request starts a new computation.
    computations[key] = nil
    return true
  }

  /// Cancels a request, and the computation if no other request waits for it.
  private func cancel(_ key: String, _ id: Int, _ request: Int) {
    guard let task = computations[key]?.task, leave(key, id, request) else { return }
    task.cancel()
  }

  /// Caches a response, and evicts others if necessary.
  private func keep(_ response: Response, for key: String) {
    // Errors are not cached, because they may be temporary.
    guard entries[key] == nil, response.status == 200, response.body.count <= bytesMax / Self.responseCountMin else { return }
    entries[key] = Entry(response: response, lastUse: uses)
    bytes += response.body.count + key.utf8.count
    while bytes > bytesMax, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      bytes -= oldest.value.response.body.count + oldest.key.utf8.count
      entries[oldest.key] = nil
    }
  }
}
