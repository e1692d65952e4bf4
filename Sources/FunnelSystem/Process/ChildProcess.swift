import FunnelModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Runs a program once in a child process and collects its output.
///
/// A crash or a memory leak of the child doesn't affect the calling process. ``run()`` blocks and may be called
/// once; ``kill()`` may be called at any time, from any thread.
package final class ChildProcess: Sendable {
  /// The output and the exit code of a process.
  package struct Outcome: Sendable {
    /// The bytes written to standard output.
    package var output: [UInt8]
    /// The bytes written to standard error, of which the first 64 KiB are kept.
    package var errors: [UInt8]
    /// The exit code, or `nil` if a signal such as that of a crash ended the process.
    package var status: Int32?
  }

  /// The reason why the calling process killed the child.
  package enum Stop: Error {
    /// ``kill()`` was called, before or during the run.
    case killed
    /// The time limit was exceeded.
    case tookTooLong
    /// The output limit was exceeded.
    case wroteTooMuch
  }

  private enum State {
    case created
    case running(pid_t)
    /// The process was killed before it started, or has ended: no signal may be sent to its ID.
    case killed
  }

  private let path: String
  private let arguments: [String]
  private let input: [UInt8]
  private let leadsGroup: Bool
  private let secondsMax: Int
  private let outputBytesMax: Int
  private let state = Guarded(State.created)

  /// Creates a process that is not started yet.
  ///
  /// - Parameters:
  ///   - path: The path of the executable.
  ///   - arguments: The arguments after the program's name.
  ///   - input: The contents of standard input, which the process may ignore.
  ///   - secondsMax: The time limit, after which the process is killed.
  ///   - outputBytesMax: The maximum size of standard output, above which the process is killed.
  ///   - leadsGroup: Whether the process leads a process group of its own, which is killed with it and after it.
  package init(
    path: String, arguments: [String], input: [UInt8] = [], secondsMax: Int, outputBytesMax: Int, leadsGroup: Bool = false
  ) {
    self.path = path
    self.arguments = arguments
    self.input = input
    self.leadsGroup = leadsGroup
    self.secondsMax = secondsMax
    self.outputBytesMax = outputBytesMax
  }

  /// The path of the running executable. On Linux it stays valid after the file is replaced by another version.
  package static var ownPath: String {
    #if canImport(Darwin)
      var size: UInt32 = 0
      _NSGetExecutablePath(nil, &size)
      var bytes = [CChar](repeating: 0, count: Int(size))
      _NSGetExecutablePath(&bytes, &size)
      return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #else
      return "/proc/self/exe"
    #endif
  }

  /// Kills the process, or prevents its start.
  package func kill() {
    state.withLock { state in
      if case .running(let process) = state { sendKill(to: process) }
      state = .killed
    }
  }

  /// Starts the process and waits for its end.
  ///
  /// - Throws: ``Stop`` if the process was killed by the caller or by a limit; ``FunnelError`` if it could not be started.
  package func run() throws -> Outcome {
    var given = Pipe(), output = Pipe(), errors = Pipe()
    defer {
      given.close()
      output.close()
      errors.close()
    }
    let process = try ProcessStart.serially { () throws -> pid_t in
      try output.open()
      try errors.open()
      if !input.isEmpty { try given.open() }
      // The lock is held until the process ID is stored, so that a concurrent kill() can't miss it.
      return try state.withLock { state throws -> pid_t in
        if case .killed = state { throw Stop.killed }
        let process = try ProcessStart.start(
          path, arguments, descriptors: [given.reading, output.writing, errors.writing], leadsGroup: leadsGroup)
        state = .running(process)
        return process
      }
    }
    given.closeReading()
    output.closeWriting()
    errors.closeWriting()
    var outcome = Outcome(output: [], errors: [], status: nil)
    let deadline = ProcessStart.seconds() + secondsMax
    var stop = exchange(&given, output.reading, errors.reading, until: deadline, into: &outcome)
    if stop == nil, !ProcessStart.hasEnded(process, before: deadline) { stop = .tookTooLong }
    // Processes that it started may outlive it.
    if stop != nil || leadsGroup { sendKill(to: process) }
    let (status, isKilled) = reap(process)
    if isKilled { throw Stop.killed }
    if let stop { throw stop }
    outcome.status = ProcessStart.exitCode(ofStatus: status)
    return outcome
  }
}

extension ChildProcess {
  /// The number of bytes of standard error that are kept; the others are read and dropped.
  static let errorBytesMax = 64 * 1024

  /// Sends SIGKILL to a process that is not reaped yet, or to its group if it leads one.
  private func sendKill(to process: pid_t) { _ = ProcessStart.signalProcess(leadsGroup ? -process : process, SIGKILL) }

  /// Waits for the end of the process and reaps it. Returns its wait status, and whether ``kill()`` was called before.
  private func reap(_ process: pid_t) -> (status: Int32, isKilled: Bool) {
    // The kernel does not reuse the process ID before `waitpid`. It is called under the lock, so that ``kill()``
    // never signals an ID that belongs to another process.
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    return state.withLock { state in
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      defer { state = .killed }
      if case .killed = state { return (status, true) }
      return (status, false)
    }
  }

  /// Writes the input and reads both output pipes to their ends.
  ///
  /// - Returns: The reason why the process must be killed, or `nil` if it closed both pipes.
  private func exchange(
    _ given: inout Pipe, _ output: Int32?, _ errors: Int32?, until deadline: Int, into outcome: inout Outcome
  ) -> Stop? {
    // The ends that are still open.
    var output = output
    var errors = errors
    if let writing = given.writing { _ = fcntl(writing, F_SETFL, O_NONBLOCK) }
    var written = 0
    while output != nil || errors != nil {
      let polled =
        [output, errors].compactMap { $0.map(PipeEvent.reading) }
        + [given.writing].compactMap { $0.map(PipeEvent.writing) }
      guard let ready = PipeEvent.wait(for: polled, until: deadline) else { return .tookTooLong }
      if let writing = given.writing, ready.contains(.writing(writing)), !send(to: writing, &written) { given.closeWriting() }
      if let reading = output, ready.contains(.reading(reading)) {
        if outcome.output.append(from: reading, countMax: .max) != .bytes { output = nil }
        guard outcome.output.count <= outputBytesMax else { return .wroteTooMuch }
      }
      if let reading = errors, ready.contains(.reading(reading)),
        outcome.errors.append(from: reading, countMax: Self.errorBytesMax) != .bytes
      {
        errors = nil
      }
    }
    return nil
  }

  /// Writes the next bytes of the input. Returns `false` if all are written, or if the process has closed its end.
  private func send(to descriptor: Int32, _ written: inout Int) -> Bool {
    let input = input
    do throws(SystemError) {
      written += try SystemCalls.write(input.span.extracting(droppingFirst: written), to: descriptor)
      return written < input.count
    } catch {
      // An error such as EPIPE means that the process has closed its end without reading the remainder.
      return error.number == EAGAIN
    }
  }
}
