import Dispatch
import FunnelKit
import FunnelSystem

/// A pool of worker processes. Idle workers are reused. A worker that has exited is replaced when one is needed.
struct WorkerPool: Sendable {
  private let idle: IdleWorkers

  /// - Parameter count: The largest number of idle workers to keep.
  init(count: Int) {
    idle = IdleWorkers(countMax: count)
  }

  /// The time limit of a response in seconds.
  static let secondsMax = 60
  /// The largest size of a response in bytes.
  private static let bytesMax = 64 << 20

  /// Runs a command line of this program in a worker process. If the task is cancelled, the process is killed.
  func run(_ arguments: [String]) async throws -> ChildProcess.Outcome {
    if let worker = idle.take() {
      let outcome = try await ask(worker, arguments)
      // An idle worker that was killed from outside gives no status and no output. Retry with a new one.
      guard outcome.status == nil, outcome.output.isEmpty else { return outcome }
    }
    return try await ask(Self.start(), arguments)
  }

  /// Runs a command line in a worker, and returns the worker to the pool if it still runs.
  private func ask(_ worker: WorkerProcess, _ arguments: [String]) async throws -> ChildProcess.Outcome {
    defer { if worker.isRunning { idle.put(worker) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try worker.ask(arguments) }) }
      }
    } onCancel: {
      worker.kill()
    }
  }

  /// Starts all workers and lets each run a command line, so that later requests find the index open.
  ///
  /// Errors are ignored: the next request reports them.
  func warmUp(_ arguments: [String]) {
    for _ in 0..<idle.countMax {
      DispatchQueue.global().async {
        guard let worker = try? Self.start(), (try? worker.ask(arguments)) != nil, worker.isRunning else { return }
        idle.put(worker)
      }
    }
  }

  private static func start() throws -> WorkerProcess {
    try WorkerProcess(
      path: ChildProcess.ownPath, arguments: [PageWorker.word], secondsMax: secondsMax, outputBytesMax: bytesMax)
  }
}

/// The idle workers of a pool.
private final class IdleWorkers: Sendable {
  let countMax: Int
  private let workers = Guarded<[WorkerProcess]>([])

  init(countMax: Int) {
    self.countMax = countMax
  }

  /// Removes and returns a worker that still runs, or returns `nil` if there is none.
  func take() -> WorkerProcess? {
    workers.withLock { workers in
      while let worker = workers.popLast() { if worker.isRunning { return worker } }
      return nil
    }
  }

  /// Adds a worker. If the pool is full, the worker is released, which ends its process.
  func put(_ worker: WorkerProcess) {
    workers.withLock { workers in if workers.count < countMax { workers.append(worker) } }
  }
}

/// The main loop of a worker process of `funnel serve`, which computes many responses one after another.
///
/// One process for each request would be slow: starting the program and mapping the index takes longer than many reports.
struct PageWorker {
  /// The command-line argument that starts the program as a worker.
  static let word = "serve-worker"

  /// The number of responses after which the process exits. A new one starts with fresh memory.
  private static let answersMax = 1000

  /// Serves requests until the server closes the channel, or ``answersMax`` is reached.
  ///
  /// - Returns: The exit code of the process.
  func run() -> Int32 {
    EventStore.keepIndexesOpen()
    let channel = WorkerChannel()
    for number in 1...Self.answersMax {
      guard let arguments = channel.nextArguments() else { return 0 }
      let before = Console.written
      let status = FunnelCommand.run(arguments)
      let after = Console.written
      channel.finish(
        status: status, outputBytes: after.output - before.output, errorBytes: after.errors - before.errors,
        isLast: number == Self.answersMax)
    }
    return 0
  }
}
