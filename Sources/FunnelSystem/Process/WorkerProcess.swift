public import FunnelModel

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
public final class WorkerProcess: Sendable {
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
  public init(path: String, arguments: [String], secondsMax: Int, outputBytesMax: Int) throws(FunnelError) {
    self.secondsMax = secondsMax
    self.outputBytesMax = outputBytesMax
    var pipes = [Pipe(), Pipe(), Pipe(), Pipe()]
    defer { for index in pipes.indices { pipes[index].close() } }
    let process = try ProcessStart.one { () throws(FunnelError) -> pid_t in
      for index in pipes.indices {
        guard pipes[index].open() else { throw ProcessStart.failure("make a pipe", errno) }
      }
      return try ProcessStart.start(
        path, arguments,
        descriptors: [pipes[0].reading, pipes[1].writing, pipes[2].writing, pipes[3].writing], leadsGroup: false)
    }
    state = Guarded(.running(process))
    requests = pipes[0].takeWriting()
    output = pipes[1].takeReading()
    errors = pipes[2].takeReading()
    trailers = pipes[3].takeReading()
    for descriptor in [requests, output, errors] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    kill()
    for descriptor in [requests, output, errors, trailers] { ProcessStart.closeDescriptor(descriptor) }
  }

  /// Kills the process, even while it runs a command.
  public func kill() {
    state.withLock { state in
      guard case .running(let process) = state else { return }
      _ = ProcessStart.signalProcess(process, SIGKILL)
      state = .killed
      // Reaped only now, so that the ID could not have been reused before the signal was sent.
      ProcessStart.wait(for: process)
    }
  }

  /// Whether the process can run another command: it was not killed and has not exited.
  public var isRunning: Bool {
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
  public func ask(_ arguments: [String]) throws -> ChildProcess.Outcome {
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
    if case .answered(let trailer) = end {
      outcome.status = Int32(truncatingIfNeeded: trailer.status)
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

/// The messages between a ``WorkerProcess`` and its ``WorkerChannel``.
enum WorkerMessage {
  /// The descriptor on which a worker reports the end of a command: the first one after the standard streams.
  static let trailerDescriptor: Int32 = 3

  /// A worker's report that a command has ended. It is sent as its bytes in memory, between processes of one program.
  struct Trailer: BitwiseCopyable {
    /// The exit code of the command.
    var status: Int64
    /// The number of bytes written to standard output.
    var outputBytes: Int64
    /// The number of bytes written to standard error.
    var errorBytes: Int64
    /// 1 if the process exits now, 0 if it waits for another command.
    var last: Int64

    var isLast: Bool { last != 0 }
  }

  /// Returns the encoding of a request: the number of arguments, then each argument with its length in bytes.
  static func request(_ arguments: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    func append(_ number: Int) { withUnsafeBytes(of: UInt32(number).littleEndian) { bytes += $0 } }
    append(arguments.count)
    for argument in arguments {
      append(argument.utf8.count)
      bytes += Array(argument.utf8)
    }
    return bytes
  }
}

/// One exchange with a worker process: a request and its response.
private struct WorkerExchange {
  let request: [UInt8]
  let requests: Int32
  let output: Int32
  let errors: Int32
  let trailers: Int32
  let outputBytesMax: Int
  private var trailer: WorkerMessage.Trailer?
  private var trailerBytes: [UInt8] = []
  private var written = 0
  /// Whether the process may still write to standard output. A pipe at its end is not polled again, because it
  /// would always be ready.
  private var isOutputOpen = true
  /// Whether the process may still write to standard error.
  private var areErrorsOpen = true

  init(request: [UInt8], requests: Int32, output: Int32, errors: Int32, trailers: Int32, outputBytesMax: Int) {
    self.request = request
    self.requests = requests
    self.output = output
    self.errors = errors
    self.trailers = trailers
    self.outputBytesMax = outputBytesMax
  }

  /// The end of an exchange.
  enum End {
    /// The response is complete.
    case answered(WorkerMessage.Trailer)
    /// The process exits before the response is complete.
    case ended
    /// The process must be killed.
    case stopped(ChildProcess.Stop)
  }

  /// Sends the request and reads the response.
  ///
  /// - Parameter deadline: A time as returned by ``ProcessStart/seconds()``.
  mutating func run(until deadline: Int, into outcome: inout ChildProcess.Outcome) -> End {
    // Bytes that the process wrote after the previous response belong to no response.
    var dropped: [UInt8] = []
    Self.drain(output, into: &dropped, max: 0)
    Self.drain(errors, into: &dropped, max: 0)
    // poll() ignores negative descriptors.
    let ignored: Int32 = -1
    while true {
      if let trailer {
        if isComplete(outcome) { return .answered(trailer) }
        // The pipe ended before the number of bytes that the trailer announces.
        if lacksOutput(outcome, of: trailer) && !isOutputOpen || lacksErrors(outcome, of: trailer) && !areErrorsOpen {
          return .ended
        }
      }
      var polled = [
        pollfd(fd: isOutputOpen ? output : ignored, events: Int16(POLLIN), revents: 0),
        pollfd(fd: areErrorsOpen ? errors : ignored, events: Int16(POLLIN), revents: 0),
        pollfd(fd: trailer == nil ? trailers : ignored, events: Int16(POLLIN), revents: 0),
        pollfd(fd: written < request.count ? requests : ignored, events: Int16(POLLOUT), revents: 0),
      ]
      let secondsLeft = deadline - ProcessStart.seconds()
      guard secondsLeft > 0 else { return .stopped(.tookTooLong) }
      guard poll(&polled, nfds_t(polled.count), Int32(secondsLeft * 1000)) >= 0 else {
        if errno == EINTR { continue }
        return .stopped(.tookTooLong)
      }
      let isReady = polled.map { $0.revents != 0 }
      if isReady[3], !send() { return .ended }
      if isReady[0] {
        isOutputOpen = Self.read(output, into: &outcome.output, max: .max)
        guard outcome.output.count <= outputBytesMax else { return .stopped(.wroteTooMuch) }
      }
      if isReady[1] {
        areErrorsOpen = Self.read(errors, into: &outcome.errors, max: ChildProcess.errorBytesMax)
      }
      if isReady[2], !readTrailer() {
        // The process has exited. Its last output is still in the pipes, at most a pipe's capacity.
        Self.drain(output, into: &outcome.output, max: outputBytesMax)
        Self.drain(errors, into: &outcome.errors, max: ChildProcess.errorBytesMax)
        return .ended
      }
    }
  }

  /// Whether the trailer and all the bytes it announces have been read.
  private func isComplete(_ outcome: ChildProcess.Outcome) -> Bool {
    trailer.map { !lacksOutput(outcome, of: $0) && !lacksErrors(outcome, of: $0) } ?? false
  }

  private func lacksOutput(_ outcome: ChildProcess.Outcome, of trailer: WorkerMessage.Trailer) -> Bool {
    outcome.output.count < Int(trailer.outputBytes)
  }

  private func lacksErrors(_ outcome: ChildProcess.Outcome, of trailer: WorkerMessage.Trailer) -> Bool {
    outcome.errors.count < min(Int(trailer.errorBytes), ChildProcess.errorBytesMax)
  }

  /// Writes the next bytes of the request. Returns `false` if the worker has closed its end.
  private mutating func send() -> Bool {
    let count = request[written...].withUnsafeBytes { ProcessStart.writeBytes(requests, $0.baseAddress, $0.count) }
    if count > 0 { written += count }
    return count >= 0 || errno == EINTR || errno == EAGAIN
  }

  /// Reads the next bytes of the trailer. Returns `false` if the process has exited.
  private mutating func readTrailer() -> Bool {
    let size = MemoryLayout<WorkerMessage.Trailer>.size
    var buffer = [UInt8](repeating: 0, count: size - trailerBytes.count)
    let count = ProcessStart.readBytes(trailers, &buffer, buffer.count)
    if count < 0, errno == EINTR { return true }
    guard count > 0 else { return false }
    trailerBytes += buffer[..<count]
    if trailerBytes.count == size {
      trailer = trailerBytes.withUnsafeBytes { $0.loadUnaligned(as: WorkerMessage.Trailer.self) }
    }
    return true
  }

  /// Reads once from a pipe, and appends the bytes up to a total of `max`; bytes above that are dropped. Returns
  /// `false` at the end.
  private static func read(_ descriptor: Int32, into bytes: inout [UInt8], max: Int) -> Bool {
    var buffer = [UInt8](repeating: 0, count: ChildProcess.readBytesMax)
    let count = ProcessStart.readBytes(descriptor, &buffer, buffer.count)
    guard count > 0 else { return count < 0 }
    bytes += buffer[..<Swift.min(count, Swift.max(0, max - bytes.count))]
    return true
  }

  /// Reads everything that is in a non-blocking pipe, and appends the bytes up to a total of `max`.
  private static func drain(_ descriptor: Int32, into bytes: inout [UInt8], max: Int) {
    var buffer = [UInt8](repeating: 0, count: ChildProcess.readBytesMax)
    while true {
      let count = ProcessStart.readBytes(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      bytes += buffer[..<Swift.min(count, Swift.max(0, max - bytes.count))]
    }
  }
}
