import Dispatch
import FunnelModel
import FunnelSystem

/// The processes that answer questions. One that is idle is asked again; one that was killed, or ended, is replaced when it is needed.
struct WorkerPool: Sendable {
  private let idle: IdleWorkers

  /// - Parameter count: The number of processes that are kept when they are idle.
  init(count: Int) {
    idle = IdleWorkers(countMax: count)
  }

  /// The time in seconds that an answer may take.
  static let secondsMax = 60
  /// The number of bytes that an answer may have.
  private static let bytesMax = 64 << 20

  /// Runs a command line of this program in a process besides this one. If the task is cancelled, the process is killed.
  func run(_ arguments: [String]) async throws -> ChildProcess.Outcome {
    if let worker = idle.take() {
      let outcome = try await ask(worker, arguments)
      // One that was ended from outside while it had nothing to do has left nothing; another one is asked.
      guard outcome.status == nil, outcome.output.isEmpty else { return outcome }
    }
    return try await ask(Self.start(), arguments)
  }

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

  /// Starts all processes and lets each run a command line, so that nobody waits for an index to be opened. What comes of it does not
  /// matter: whoever asks is told.
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

/// Workers that have nothing to do.
private final class IdleWorkers: Sendable {
  let countMax: Int
  private let workers = Guarded<[WorkerProcess]>([])

  init(countMax: Int) {
    self.countMax = countMax
  }

  /// Returns one that has not ended meanwhile.
  func take() -> WorkerProcess? {
    workers.withLock { workers in
      while let worker = workers.popLast() { if worker.isRunning { return worker } }
      return nil
    }
  }

  /// Keeps a worker if there are not enough; one that is not kept is ended.
  func put(_ worker: WorkerProcess) {
    workers.withLock { workers in if workers.count < countMax { workers.append(worker) } }
  }
}
