import FunnelModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A process that this one starts to get something done apart: its crash, its memory and its end are its own.
///
/// It reads what it is given, and what it writes is kept. ``run()`` blocks, ``kill()`` may be called from any thread.
public final class ChildProcess: Sendable {
  /// What a process wrote and how it ended.
  public struct Outcome: Sendable {
    public var output: [UInt8]
    public var errors: [UInt8]
    /// The exit code; nil if a signal ended the process, such as that of a crash or of ``kill()``.
    public var status: Int32?
  }

  /// Why a process was ended by this one.
  public enum Stop: Error {
    /// ``kill()`` was called, before or while it ran.
    case killed
    /// It took longer than allowed.
    case tookTooLong
    /// It wrote more than allowed.
    case wroteTooMuch
  }

  private enum State {
    case created, running(pid_t), killed
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
  ///   - path: The program's file.
  ///   - arguments: The arguments after the program's name.
  ///   - input: What it reads from standard input; it need not read all.
  ///   - secondsMax: The time after which it is ended.
  ///   - outputBytesMax: The number of bytes of output after which it is ended.
  ///   - leadsGroup: Whether it is ended together with the processes it has started.
  public init(
    path: String, arguments: [String], input: [UInt8] = [], secondsMax: Int, outputBytesMax: Int, leadsGroup: Bool = false
  ) {
    self.path = path
    self.arguments = arguments
    self.input = input
    self.leadsGroup = leadsGroup
    self.secondsMax = secondsMax
    self.outputBytesMax = outputBytesMax
  }

  /// The file of the program that runs now, also after it has been replaced by another version.
  public static var ownPath: String {
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

  /// Ends the process, or keeps it from being started.
  public func kill() {
    state.withLock { state in
      if case .running(let process) = state { end(process) }
      state = .killed
    }
  }

  /// Starts the process and waits for its end.
  ///
  /// - Throws: ``Stop`` if it was ended by this process, ``FunnelError`` if it could not be started.
  public func run() throws -> Outcome {
    var given = Pipe(), output = Pipe(), errors = Pipe()
    defer {
      given.close()
      output.close()
      errors.close()
    }
    let process = try ProcessStart.one { () throws -> pid_t in
      guard output.open(), errors.open(), input.isEmpty || given.open() else {
        throw ProcessStart.failure("make a pipe", errno)
      }
      // The lock is held until the process's number is known, so that a kill meets it.
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
    // What it has started may outlive it.
    if stop != nil || leadsGroup { end(process) }
    let (status, isKilled) = end(of: process)
    if isKilled { throw Stop.killed }
    if let stop { throw stop }
    outcome.status = status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
    return outcome
  }
}

extension ChildProcess {
  /// The number of bytes of complaints that are kept.
  static let errorBytesMax = 64 * 1024

  /// Ends a process that has not been taken note of, and its group if it leads one.
  private func end(_ process: pid_t) { _ = ProcessStart.signalProcess(leadsGroup ? -process : process, SIGKILL) }

  /// Waits for the end of the process, and returns its status and whether it was killed.
  private func end(of process: pid_t) -> (status: Int32, isKilled: Bool) {
    // Until it is taken note of, its number is not given to another process, which ``kill()`` would meet.
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

  /// Writes the input and reads both pipes to their ends, or returns why the process must be ended.
  private func exchange(
    _ given: inout Pipe, _ output: Int32, _ errors: Int32, until deadline: Int, into outcome: inout Outcome
  ) -> Stop? {
    var waited = [
      pollfd(fd: output, events: Int16(POLLIN), revents: 0), pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
      pollfd(fd: given.writing, events: Int16(POLLOUT), revents: 0),
    ]
    if given.writing >= 0 { _ = fcntl(given.writing, F_SETFL, O_NONBLOCK) }
    var written = 0
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while waited[0].fd >= 0 || waited[1].fd >= 0 {
      let left = deadline - ProcessStart.seconds()
      guard left > 0 else { return .tookTooLong }
      guard poll(&waited, nfds_t(waited.count), Int32(left * 1000)) >= 0 else {
        if errno == EINTR { continue }
        return .tookTooLong
      }
      if waited[2].fd >= 0, waited[2].revents != 0 {
        let count = input[written...].withUnsafeBytes { ProcessStart.writeBytes(waited[2].fd, $0.baseAddress, $0.count) }
        if count > 0 { written += count }
        // A process that does not want the rest has closed its end.
        if written == input.count || count < 0 && errno != EINTR && errno != EAGAIN {
          given.closeWriting()
          waited[2].fd = -1
        }
      }
      for index in 0...1 where waited[index].fd >= 0 && waited[index].revents != 0 {
        let count = ProcessStart.readBytes(waited[index].fd, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        // A descriptor below zero is not waited for any more.
        guard count > 0 else {
          waited[index].fd = -1
          continue
        }
        if index == 0 {
          outcome.output += buffer[..<count]
          guard outcome.output.count <= outputBytesMax else { return .wroteTooMuch }
        } else {
          outcome.errors += buffer[..<min(count, Self.errorBytesMax - outcome.errors.count)]
        }
      }
    }
    return nil
  }
}
