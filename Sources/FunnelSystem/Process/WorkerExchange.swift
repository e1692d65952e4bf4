#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One exchange with a worker process: a request and its response.
struct WorkerExchange {
  /// The encoded request.
  private let request: [UInt8]
  /// The write end of the pipe for requests.
  private let requests: Int32
  /// The read end of the worker's standard output.
  private let output: Int32
  /// The read end of the worker's standard error.
  private let errors: Int32
  /// The read end of the pipe for trailers.
  private let trailers: Int32
  private let outputBytesMax: Int
  /// The trailer of the response, or `nil` before it is complete.
  private var trailer: WorkerMessage.Trailer?
  private var trailerBytes: [UInt8] = []
  /// The number of bytes of the request that were written.
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
    case completed(WorkerMessage.Trailer)
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
    Self.drain(output, into: &dropped, countMax: 0)
    Self.drain(errors, into: &dropped, countMax: 0)
    while true {
      if let trailer {
        if isComplete(outcome) { return .completed(trailer) }
        // The pipe ended before the number of bytes that the trailer announces.
        if lacksOutput(outcome, of: trailer) && !isOutputOpen || lacksErrors(outcome, of: trailer) && !areErrorsOpen {
          return .ended
        }
      }
      guard let ready = PipeEvent.wait(for: polled, until: deadline) else { return .stopped(.tookTooLong) }
      if ready.contains(.writing(requests)), !send() { return .ended }
      if ready.contains(.reading(output)) {
        isOutputOpen = outcome.output.append(from: output, countMax: .max) != .end
        guard outcome.output.count <= outputBytesMax else { return .stopped(.wroteTooMuch) }
      }
      if ready.contains(.reading(errors)) {
        areErrorsOpen = outcome.errors.append(from: errors, countMax: ChildProcess.errorBytesMax) != .end
      }
      if ready.contains(.reading(trailers)), !readTrailer() {
        // The process has exited. Its last output is still in the pipes, at most a pipe's capacity.
        Self.drain(output, into: &outcome.output, countMax: outputBytesMax)
        Self.drain(errors, into: &outcome.errors, countMax: ChildProcess.errorBytesMax)
        return .ended
      }
    }
  }

  /// The descriptors that the next step of the exchange waits for.
  private var polled: [PipeEvent] {
    var polled: [PipeEvent] = []
    if isOutputOpen { polled.append(.reading(output)) }
    if areErrorsOpen { polled.append(.reading(errors)) }
    if trailer == nil { polled.append(.reading(trailers)) }
    if written < request.count { polled.append(.writing(requests)) }
    return polled
  }

  /// Whether the trailer and all the bytes it announces have been read.
  private func isComplete(_ outcome: ChildProcess.Outcome) -> Bool {
    trailer.map { !lacksOutput(outcome, of: $0) && !lacksErrors(outcome, of: $0) } ?? false
  }

  private func lacksOutput(_ outcome: ChildProcess.Outcome, of trailer: WorkerMessage.Trailer) -> Bool {
    outcome.output.count < trailer.outputBytes
  }

  private func lacksErrors(_ outcome: ChildProcess.Outcome, of trailer: WorkerMessage.Trailer) -> Bool {
    outcome.errors.count < min(trailer.errorBytes, ChildProcess.errorBytesMax)
  }

  /// Writes the next bytes of the request. Returns `false` if the worker has closed its end.
  private mutating func send() -> Bool {
    do throws(SystemError) {
      written += try SystemCalls.write(request.span.extracting(droppingFirst: written), to: requests)
      return true
    } catch {
      return error.number == EAGAIN
    }
  }

  /// Reads the next bytes of the trailer. Returns `false` if the process has exited.
  private mutating func readTrailer() -> Bool {
    let missing = WorkerMessage.Trailer.byteCount - trailerBytes.count
    do throws(SystemError) {
      let before = trailerBytes.count
      try trailerBytes.append(addingCapacity: missing) { (output) throws(SystemError) in
        try SystemCalls.read(trailers, into: &output)
      }
      guard trailerBytes.count > before else { return false }
    } catch {
      return false
    }
    trailer = WorkerMessage.Trailer(bytes: trailerBytes)
    return true
  }

  /// Reads everything that is in a non-blocking pipe, and appends the bytes up to a total of `countMax`.
  private static func drain(_ descriptor: Int32, into bytes: inout [UInt8], countMax: Int) {
    while bytes.append(from: descriptor, countMax: countMax) == .bytes {}
  }
}
