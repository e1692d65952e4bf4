public import FunnelModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A process that this one starts to get many things done apart, one after another: its crash and its memory are its own, but it need not
/// start again for each, and what it has opened stays open.
///
/// The child's side is ``WorkerChannel``. A process that was asked something that took too long, or that nobody waits for any more, is
/// killed and of no use afterwards. ``ask(_:)`` blocks, ``kill()`` may be called from any thread.
public final class WorkerProcess: Sendable {
  private enum State {
    case running(pid_t), killed, ended
  }

  private let state: Guarded<State>
  private let requests: Int32
  private let output: Int32
  private let errors: Int32
  private let trailers: Int32
  private let secondsMax: Int
  private let outputBytesMax: Int

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - path: The program's file.
  ///   - arguments: The arguments after the program's name, which make it a worker.
  ///   - secondsMax: The time after which it is ended, for each thing it is asked.
  ///   - outputBytesMax: The number of bytes of output after which it is ended.
  /// - Throws: `inputOutput` if it can't be started.
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

  /// Ends the process, also while it is asked something.
  public func kill() {
    state.withLock { state in
      guard case .running(let process) = state else { return }
      _ = ProcessStart.signalProcess(process, SIGKILL)
      state = .killed
      // Its number is not given to another process before it is waited for.
      ProcessStart.wait(for: process)
    }
  }

  /// Whether it can be asked something: it was not killed, and has not ended by itself.
  public var isRunning: Bool {
    state.withLock { state in
      guard case .running(let process) = state else { return false }
      guard ProcessStart.hasEnded(process) else { return true }
      ProcessStart.wait(for: process)
      state = .ended
      return false
    }
  }

  /// Lets the process run a command line and returns what it wrote and how it ended.
  ///
  /// - Throws: ``ChildProcess/Stop`` if the process was ended by this one.
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
    // It ends by itself. Whatever it ends with, an answer without a trailer is not whole.
    guard hasEnded(before: deadline) else {
      kill()
      throw ChildProcess.Stop.tookTooLong
    }
    let status = waitForEnd()
    outcome.status = status == 0 ? nil : status
    return outcome
  }

  /// Waits until the process has ended or it is time, and returns whether it has ended.
  private func hasEnded(before deadline: Int) -> Bool {
    let process: pid_t? = state.withLock { state in if case .running(let process) = state { process } else { nil } }
    return process.map { ProcessStart.hasEnded($0, before: deadline) } ?? true
  }

  /// Waits for the end of a process that ends by itself, and returns its exit code; nil if a signal ended it.
  @discardableResult
  private func waitForEnd() -> Int32? {
    state.withLock { state in
      guard case .running(let process) = state else { return nil }
      state = .ended
      return ProcessStart.wait(for: process)
    }
  }
}

/// What goes to a worker and comes back.
enum WorkerMessage {
  /// The descriptor on which a worker says that it is done.
  static let trailerDescriptor: Int32 = 3

  /// What a worker says when it is done.
  struct Trailer: BitwiseCopyable {
    /// The exit code that the command would have had.
    var status: Int64
    /// The number of bytes it wrote to standard output and standard error.
    var outputBytes: Int64
    var errorBytes: Int64
    /// Whether the process ends now.
    var last: Int64

    var isLast: Bool { last != 0 }
  }

  /// Returns the bytes of a request: the number of arguments, and each with its length.
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

/// One question to a worker and its answer.
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
  /// Whether the process may write more. A pipe whose end was read is waited for no more, for it would be ready at once, again and again.
  private var isOutputOpen = true
  private var areErrorsOpen = true

  init(request: [UInt8], requests: Int32, output: Int32, errors: Int32, trailers: Int32, outputBytesMax: Int) {
    (self.request, self.requests, self.output) = (request, requests, output)
    (self.errors, self.trailers, self.outputBytesMax) = (errors, trailers, outputBytesMax)
  }

  /// How an exchange ends.
  enum End {
    /// The answer is whole.
    case answered(WorkerMessage.Trailer)
    /// The process ends by itself, and the answer is not whole.
    case ended
    /// The process must be killed.
    case stopped(ChildProcess.Stop)
  }

  /// Sends the request and reads the answer.
  mutating func run(until deadline: Int, into outcome: inout ChildProcess.Outcome) -> End {
    // What the process wrote besides its answers is none of this one.
    var passed: [UInt8] = []
    Self.drain(output, into: &passed, max: 0)
    Self.drain(errors, into: &passed, max: 0)
    while true {
      if let trailer {
        if isComplete(outcome) { return .answered(trailer) }
        // It said that it wrote more than it did.
        if lacksOutput(outcome, of: trailer) && !isOutputOpen || lacksErrors(outcome, of: trailer) && !areErrorsOpen {
          return .ended
        }
      }
      var waited = [
        pollfd(fd: isOutputOpen ? output : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: areErrorsOpen ? errors : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: trailer == nil ? trailers : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: written < request.count ? requests : -1, events: Int16(POLLOUT), revents: 0),
      ]
      let left = deadline - ProcessStart.seconds()
      guard left > 0 else { return .stopped(.tookTooLong) }
      guard poll(&waited, nfds_t(waited.count), Int32(left * 1000)) >= 0 else {
        if errno == EINTR { continue }
        return .stopped(.tookTooLong)
      }
      if waited[3].revents != 0, !send() { return .ended }
      if waited[0].revents != 0 {
        isOutputOpen = Self.read(output, into: &outcome.output, max: .max)
        guard outcome.output.count <= outputBytesMax else { return .stopped(.wroteTooMuch) }
      }
      if waited[1].revents != 0 {
        areErrorsOpen = Self.read(errors, into: &outcome.errors, max: ChildProcess.errorBytesMax)
      }
      if waited[2].revents != 0, !readTrailer() {
        // The process has ended: what it still wrote is in the pipes, which hold little.
        Self.drain(output, into: &outcome.output, max: outputBytesMax)
        Self.drain(errors, into: &outcome.errors, max: ChildProcess.errorBytesMax)
        return .ended
      }
    }
  }

  private func isComplete(_ outcome: ChildProcess.Outcome) -> Bool {
    trailer.map { !lacksOutput(outcome, of: $0) && !lacksErrors(outcome, of: $0) } ?? false
  }

  private func lacksOutput(_ outcome: ChildProcess.Outcome, of trailer: WorkerMessage.Trailer) -> Bool {
    outcome.output.count < Int(trailer.outputBytes)
  }

  private func lacksErrors(_ outcome: ChildProcess.Outcome, of trailer: WorkerMessage.Trailer) -> Bool {
    outcome.errors.count < min(Int(trailer.errorBytes), ChildProcess.errorBytesMax)
  }

  /// Writes more of the request; returns false if nobody reads it.
  private mutating func send() -> Bool {
    let count = request[written...].withUnsafeBytes { ProcessStart.writeBytes(requests, $0.baseAddress, $0.count) }
    if count > 0 { written += count }
    return count >= 0 || errno == EINTR || errno == EAGAIN
  }

  /// Reads more of the trailer; returns false at the end of the process.
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

  /// Reads once, and keeps what was read up to a number of bytes in all; returns false at the end.
  private static func read(_ descriptor: Int32, into bytes: inout [UInt8], max: Int) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let count = ProcessStart.readBytes(descriptor, &buffer, buffer.count)
    guard count > 0 else { return count < 0 }
    bytes += buffer[..<Swift.min(count, Swift.max(0, max - bytes.count))]
    return true
  }

  /// Reads all that is in the pipe of a process that writes nothing now.
  private static func drain(_ descriptor: Int32, into bytes: inout [UInt8], max: Int) {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = ProcessStart.readBytes(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      bytes += buffer[..<Swift.min(count, Swift.max(0, max - bytes.count))]
    }
  }
}
