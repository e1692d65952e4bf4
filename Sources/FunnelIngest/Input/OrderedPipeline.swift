internal import Dispatch
internal import FunnelSystem

/// Runs a transformation on several threads and hands the results over in the order of the inputs.
///
/// The calling thread produces inputs and consumes results; a bounded number of inputs is under way, so memory does not grow
/// with the input. What comes out does not depend on the number of threads.
package enum OrderedPipeline {
  /// Feeds every input `next` gives, until nil, through `transform` and its result to `consume`.
  ///
  /// - Parameters:
  ///   - threads: How many inputs are transformed at once, at least 1. With one, all is done on the calling thread.
  ///   - underWay: Most inputs whose results were not consumed yet; `threads × 2` keeps all threads busy.
  ///   - makeWorker: Makes what one thread needs for itself (a parser, buffers).
  /// - Throws: What `next` or `consume` throw; inputs under way are then finished and dropped.
  package static func run<Input: Sendable, Output: Sendable, Worker>(
    threads: Int,
    underWay: Int? = nil,
    next: () throws -> Input?,
    makeWorker: @escaping @Sendable () -> Worker,
    transform: @escaping @Sendable (inout Worker, Input) -> Output,
    consume: (Output) throws -> Void
  ) throws {
    guard threads > 1 else {
      var worker = makeWorker()
      while let input = try next() { try consume(transform(&worker, input)) }
      return
    }
    let exchange = Exchange<Input, Output>()
    let workers = ThreadGroup()
    for _ in 0..<threads {
      workers.start {
        var worker = makeWorker()
        while let (index, input) = exchange.take() { exchange.finish(index, transform(&worker, input)) }
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
      try consume(exchange.result(consumed))
      consumed += 1
    }
  }
}

/// Where inputs and results change threads.
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

  /// The next input, or nil when there will be none any more.
  func take() -> (Int, Input)? {
    inputsReady.wait()
    return state.withLock { $0.inputs.isEmpty ? nil : $0.inputs.removeFirst() }
  }

  func finish(_ index: Int, _ output: Output) {
    state.withLock { $0.results[index] = output }
    resultsReady.signal()
  }

  /// Waits for the result of one input.
  func result(_ index: Int) -> Output {
    while true {
      if let output = state.withLock({ $0.results.removeValue(forKey: index) }) { return output }
      resultsReady.wait()
    }
  }

  /// Lets every worker that waits go home. Inputs nobody has taken yet are dropped.
  func close(workers: Int) {
    state.withLock { $0.inputs.removeAll() }
    for _ in 0..<workers { inputsReady.signal() }
  }
}
