import FunnelIndex
import FunnelSystem

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
    EventIndex.keepRunsOpen()
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
