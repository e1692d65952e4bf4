internal import Dispatch

/// Runs a transformation on several threads and delivers the results in the order of the inputs.
///
///     try OrderedPipeline.run(threads: 4, next: { members.popFirst() }, makeWorker: { Decoder() }) { (decoder, member) in
///       try decoder.decode(store.read(member))
///     } consume: { (decoded) in
///       try write(decoded)
///     }
///
/// The calling thread produces inputs and consumes results. The number of inputs in flight is bounded, so memory does not grow with the
/// input. The output does not depend on the number of threads. Where all inputs are known and all results fit into memory,
/// ``Parallel/map(count:threads:_:)`` is enough.
package enum OrderedPipeline {
  /// Passes every input from `next`, until that returns nil, to `transform`, and each result to `consume`.
  ///
  /// - Parameters:
  ///   - threads: The number of inputs that are transformed at once, at least 1. With 1, everything is done on the calling thread.
  ///   - underWay: The maximum number of inputs whose results were not consumed yet; `threads × 2` keeps all threads busy.
  ///   - makeWorker: Makes the state of one thread (a parser, buffers).
  /// - Throws: The errors of `next`, and those of `transform` and `consume` in the order of the inputs, whichever comes first; transformations
  ///   in progress are then finished and their results dropped.
  package static func run<Input: Sendable, Output: Sendable, Worker, Failure: Error>(
    threads: Int,
    underWay: Int? = nil,
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
      while !isExhausted, produced - consumed < underWay ?? threads * 2 {
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

/// Exchanges inputs and results between the threads.
private final class Exchange<Input: Sendable, Output: Sendable>: Sendable {
  private struct State {
    var inputs: [(Int, Input)] = []
    var results: [Int: Output] = [:]
  }

  private let state = Guarded(State())
  private let inputsReady = DispatchSemaphore(value: 0)
  private let resultsReady = DispatchSemaphore(value: 0)

  func offer(_ index: Int, _ input: Input) {
    state.withLock { $0.inputs.append((index, input)) }
    inputsReady.signal()
  }

  /// Waits for the next input and returns it, or nil if there are no more.
  func take() -> (Int, Input)? {
    inputsReady.wait()
    return state.withLock { $0.inputs.isEmpty ? nil : $0.inputs.removeFirst() }
  }

  func finish(_ index: Int, _ output: Output) {
    state.withLock { $0.results[index] = output }
    resultsReady.signal()
  }

  /// Waits for the result of one input and returns it.
  func result(_ index: Int) -> Output {
    while true {
      if let output = state.withLock({ $0.results.removeValue(forKey: index) }) { return output }
      resultsReady.wait()
    }
  }

  /// Ends every waiting worker. Inputs that no worker has taken yet are dropped.
  func close(workers: Int) {
    state.withLock { $0.inputs.removeAll() }
    for _ in 0..<workers { inputsReady.signal() }
  }
}
