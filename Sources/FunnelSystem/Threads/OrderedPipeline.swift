internal import Dispatch

/// Runs a transformation on several threads and delivers the results in the order of the inputs.
///
///     try OrderedPipeline.run(threads: 4, next: { members.popFirst() }, makeWorker: { Decoder() }) { (decoder, member) in
///       try decoder.decode(store.read(member))
///     } consume: { (decoded) in
///       try write(decoded)
///     }
///
/// The calling thread produces inputs and consumes results. The number of inputs in flight is bounded, so memory
/// does not grow with the input. The output does not depend on the number of threads. If all inputs are known and
/// all results fit into memory, use ``Parallel/map(count:threads:_:)``.
package enum OrderedPipeline {
  /// Passes every input to `transform`, and the results to `consume` in the order of the inputs.
  ///
  /// - Parameters:
  ///   - threads: The number of threads that transform inputs. With 1 or less, all work is done on the calling thread.
  ///   - inProgressMax: The maximum number of inputs in progress, whose results were not consumed yet. The default,
  ///     twice the number of threads, keeps all threads busy.
  ///   - next: A closure that returns the next input, or `nil` if there are no more. Called on the calling thread.
  ///   - makeWorker: A closure that creates the state of one thread, such as a parser or buffers.
  ///   - transform: A closure that computes the result of one input. Called on any thread.
  ///   - consume: A closure that receives the results. Called on the calling thread.
  /// - Throws: The first error of a closure, in the order of the inputs. Transformations in progress are finished,
  ///   and their results dropped.
  package static func run<Input: Sendable, Output: Sendable, Worker, Failure: Error>(
    threads: Int,
    inProgressMax: Int? = nil,
    next: () throws(Failure) -> Input?,
    makeWorker: @escaping @Sendable () -> Worker,
    transform: @escaping @Sendable (inout Worker, Input) throws(Failure) -> Output,
    consume: (Output) throws(Failure) -> Void
  ) throws(Failure) {
    guard threads > 1 else {
      var worker = makeWorker()
      while let input = try next() { try consume(transform(&worker, input)) }
      return
    }
    let inputsMax = inProgressMax ?? threads * 2
    let exchange = Exchange<Input, Result<Output, Failure>>()
    let workers = ThreadGroup()
    for _ in 0..<threads {
      workers.start {
        var worker = makeWorker()
        while let (index, input) = exchange.take() {
          exchange.finish(index, Result { () throws(Failure) in try transform(&worker, input) })
        }
      }
    }
    defer {
      exchange.close(workers: threads)
      workers.wait()
    }
    var produced = 0
    var consumed = 0
    var isExhausted = false
    while true {
      while !isExhausted, produced - consumed < inputsMax {
        guard let input = try next() else {
          isExhausted = true
          break
        }
        exchange.offer(produced, input)
        produced += 1
      }
      guard consumed < produced else { return }
      try consume(exchange.result(consumed).get())
      consumed += 1
    }
  }
}

/// The queue of inputs and the table of results, shared between the calling thread and the workers.
private final class Exchange<Input: Sendable, Output: Sendable>: Sendable {
  private struct State {
    var inputs: [(Int, Input)] = []
    var results: [Int: Output] = [:]
  }

  private let state = Guarded(State())
  private let inputsReady = DispatchSemaphore(value: 0)
  private let resultsReady = DispatchSemaphore(value: 0)

  /// Appends an input to the queue.
  func offer(_ index: Int, _ input: Input) {
    state.withLock { $0.inputs.append((index, input)) }
    inputsReady.signal()
  }

  /// Waits for the next input and removes it from the queue. Returns `nil` after ``close(workers:)``.
  func take() -> (Int, Input)? {
    inputsReady.wait()
    return state.withLock { $0.inputs.isEmpty ? nil : $0.inputs.removeFirst() }
  }

  /// Stores the result of an input.
  func finish(_ index: Int, _ output: Output) {
    state.withLock { $0.results[index] = output }
    resultsReady.signal()
  }

  /// Waits for the result of an input and removes it from the table.
  func result(_ index: Int) -> Output {
    while true {
      if let output = state.withLock({ $0.results.removeValue(forKey: index) }) { return output }
      resultsReady.wait()
    }
  }

  /// Drops the inputs that are still in the queue, and makes ``take()`` return `nil` once for each worker.
  func close(workers: Int) {
    state.withLock { $0.inputs.removeAll() }
    for _ in 0..<workers { inputsReady.signal() }
  }
}
