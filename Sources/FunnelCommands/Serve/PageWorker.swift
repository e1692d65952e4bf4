import FunnelIndex
import FunnelSystem

/// A process of `funnel serve` that answers many questions, one after another. Starting a program, mapping an index and checking its pages
/// for each question would take longer than many a report.
struct PageWorker {
  /// The word that makes the program a worker.
  static let word = "serve-worker"

  /// The number of answers after which a process ends, and another one begins with fresh memory.
  private static let answersMax = 1000

  /// Answers until nobody asks any more.
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
