package import FunnelModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A long-lived child process that runs command lines one after another and returns the output of each.
///
/// A crash of the child doesn't affect the calling process, and files that the child has opened stay open between
/// commands. The child's side is ``WorkerChannel``. A process that exceeds a limit is killed; after that,
/// ``ask(_:)`` must not be called again.
///
/// ``ask(_:)`` blocks and must not be called concurrently. ``kill()`` may be called from any thread.
package final class WorkerProcess: Sendable {
  private enum State {
    case running(pid_t)
    /// ``kill()`` was called, or a limit was exceeded.
    case killed
    /// The process exited, and was reaped.
    case ended
  }

  private let state: Guarded<State>
  /// The write end of the child's standard input.
  private let requests: Int32
  /// The read end of its standard output.
  private let output: Int32
  /// The read end of its standard error.
  private let errors: Int32
  /// The read end of the pipe on which it reports the end of each command.
  private let trailers: Int32
  private let secondsMax: Int
  private let outputBytesMax: Int

  /// Starts a worker process.
  ///
  /// - Parameters:
  ///   - path: The path of the executable.
  ///   - arguments: The arguments after the program's name, which make the program use a ``WorkerChannel``.
  ///   - secondsMax: The time limit of one command, after which the process is killed.
  ///   - outputBytesMax: The maximum size of the output of one command, above which the process is killed.
  /// - Throws: `inputOutput` if the process can't be started.
  package init(path: String, arguments: [String], secondsMax: Int, outputBytesMax: Int) throws(FunnelError) {
    self.secondsMax = secondsMax
    self.outputBytesMax = outputBytesMax
    var requestPipe = Pipe(), outputPipe = Pipe(), errorPipe = Pipe(), trailerPipe = Pipe()
    defer {
      requestPipe.close()
      outputPipe.close()
      errorPipe.close()
      trailerPipe.close()
    }
    let process = try ProcessStart.serially { () throws(FunnelError) -> pid_t in
      try requestPipe.open()
      try outputPipe.open()
      try errorPipe.open()
      try trailerPipe.open()
      // The order is that of the descriptors in the child: the trailers are written to `WorkerMessage.trailerDescriptor`.
      return try ProcessStart.start(
        path, arguments, descriptors: [requestPipe.reading, outputPipe.writing, errorPipe.writing, trailerPipe.writing],
        leadsGroup: false)
    }
    state = Guarded(.running(process))
    guard let requests = requestPipe.takeWriting(), let output = outputPipe.takeReading(),
      let errors = errorPipe.takeReading(), let trailers = trailerPipe.takeReading()
    else { preconditionFailure("all pipes are open") }
    self.requests = requests
    self.output = output
    self.errors = errors
    self.trailers = trailers
    for descriptor in [requests, output, errors] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    kill()
    for descriptor in [requests, output, errors, trailers] { ProcessStart.closeDescriptor(descriptor) }
  }

  /// Kills the process, even while it runs a command.
  package func kill() {
    state.withLock { state in
      guard case .running(let process) = state else { return }
      _ = ProcessStart.signalProcess(process, SIGKILL)
      state = .killed
      // Reaped only now, so that the ID could not have been reused before the signal was sent.
      ProcessStart.wait(for: process)
    }
  }

  /// Whether the process can run another command: it was not killed and has not exited.
  package var isRunning: Bool {
    state.withLock { state in
      guard case .running(let process) = state else { return false }
      guard ProcessStart.hasEnded(process) else { return true }
      ProcessStart.wait(for: process)
      state = .ended
      return false
    }
  }

  /// Runs a command line in the process, and returns its output and its exit code.
  ///
  /// If the process exits before the command is complete, the status is its exit code, or `nil` if that is 0 or a
  /// signal ended it: output without a trailer is incomplete, whatever the exit code.
  ///
  /// - Throws: ``ChildProcess/Stop`` if the process was killed by the caller or by a limit.
  package func ask(_ arguments: [String]) throws -> ChildProcess.Outcome {
    var outcome = ChildProcess.Outcome(output: [], errors: [], status: nil)
    var exchange = WorkerExchange(
      request: WorkerMessage.request(arguments), requests: requests, output: output, errors: errors, trailers: trailers,
      outputBytesMax: outputBytesMax)
    let deadline = ProcessStart.seconds() + secondsMax
    let end = exchange.run(until: deadline, into: &outcome)
    if case .stopped(let stop) = end {
      kill()
      throw stop
    }
    let wasKilled = state.withLock { state in if case .killed = state { true } else { false } }
    if wasKilled { throw ChildProcess.Stop.killed }
    if case .completed(let trailer) = end {
      outcome.status = trailer.status
      if trailer.isLast, !hasEnded(before: deadline) { kill() }
      if trailer.isLast { waitForEnd() }
      return outcome
    }
    // The process exits without a trailer.
    guard hasEnded(before: deadline) else {
      kill()
      throw ChildProcess.Stop.tookTooLong
    }
    let status = waitForEnd()
    outcome.status = status == 0 ? nil : status
    return outcome
  }

  /// Waits until the process has ended or the deadline has passed. Returns whether the process has ended.
  private func hasEnded(before deadline: Int) -> Bool {
    let process: pid_t? = state.withLock { state in if case .running(let process) = state { process } else { nil } }
    return process.map { ProcessStart.hasEnded($0, before: deadline) } ?? true
  }

  /// Waits for the exit of the process and reaps it. Returns its exit code, or `nil` if a signal ended it or it was
  /// reaped before.
  @discardableResult
  private func waitForEnd() -> Int32? {
    state.withLock { state in
      guard case .running(let process) = state else { return nil }
      state = .ended
      return ProcessStart.wait(for: process)
    }
  }
}
