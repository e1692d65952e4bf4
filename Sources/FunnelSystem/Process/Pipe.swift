import FunnelModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A pipe whose ends are closed on exec, and by ``close()``.
struct Pipe {
  /// The descriptor of the read end, or `nil` if it is not open.
  private(set) var reading: Int32?
  /// The descriptor of the write end, or `nil` if it is not open.
  private(set) var writing: Int32?

  /// Opens the pipe.
  ///
  /// - Throws: `inputOutput` if the system has no free descriptors.
  mutating func open() throws(FunnelError) {
    precondition(reading == nil && writing == nil, "a pipe is opened once")
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw ProcessStart.failure("make a pipe", errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = ends[1]
  }

  /// Closes the read end if it is open.
  mutating func closeReading() { if let end = takeReading() { ProcessStart.closeDescriptor(end) } }

  /// Closes the write end if it is open.
  mutating func closeWriting() { if let end = takeWriting() { ProcessStart.closeDescriptor(end) } }

  /// Returns the write end, which the caller must close.
  mutating func takeWriting() -> Int32? {
    defer { writing = nil }
    return writing
  }

  /// Returns the read end, which the caller must close.
  mutating func takeReading() -> Int32? {
    defer { reading = nil }
    return reading
  }

  /// Closes both ends.
  mutating func close() {
    closeWriting()
    closeReading()
  }
}

/// An event at an end of a pipe, for which a process waits with `poll`.
enum PipeEvent: Hashable {
  /// The pipe has bytes, or all writers have closed it.
  case reading(Int32)
  /// The pipe has room for bytes, or its reader has closed it.
  case writing(Int32)

  private var entry: pollfd {
    switch self {
    case .reading(let descriptor): pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    case .writing(let descriptor): pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    }
  }

  /// Waits until one of some events has occurred. Returns those that have, or `nil` if the deadline has passed or the wait failed.
  ///
  /// - Parameter deadline: A time as returned by ``ProcessStart/seconds()``.
  static func wait(for events: [PipeEvent], until deadline: Int) -> [PipeEvent]? {
    let millisecondsPerSecond = 1000
    var polled = events.map(\.entry)
    while true {
      let secondsLeft = deadline - ProcessStart.seconds()
      guard secondsLeft > 0 else { return nil }
      let result = poll(&polled, nfds_t(polled.count), Int32(clamping: secondsLeft * millisecondsPerSecond))
      if result >= 0 { return zip(events, polled).filter { $0.1.revents != 0 }.map(\.0) }
      guard errno == EINTR else { return nil }
    }
  }
}

/// The result of reading once from a pipe.
enum PipeRead {
  /// Bytes were read.
  case bytes
  /// All writers have closed the pipe.
  case end
  /// There are no bytes in a non-blocking pipe, or it can't be read.
  case nothing
}

extension [UInt8] {
  /// Reads once from a pipe, and appends the bytes up to a total of `countMax`. Bytes above that are dropped.
  mutating func append(from pipe: Int32, countMax: Int) -> PipeRead {
    // The default capacity of a pipe on Linux.
    let readBytesMax = 64 * 1024
    do {
      let bytes = try [UInt8](capacity: readBytesMax) { (output) throws(SystemError) in
        try SystemCalls.read(pipe, into: &output)
      }
      self += bytes.prefix(Swift.max(0, countMax - count))
      return bytes.isEmpty ? .end : .bytes
    } catch {
      return .nothing
    }
  }
}
