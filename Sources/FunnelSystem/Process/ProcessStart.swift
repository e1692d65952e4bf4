import FunnelModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The POSIX calls that start a child process and wait for its end.
enum ProcessStart {
  private static let starting = Guarded(())

  /// Calls a closure that creates pipes and starts a process with them. Calls are serialized across threads.
  static func one<Failure: Error>(_ body: () throws(Failure) -> pid_t) throws(Failure) -> pid_t {
    // Between `pipe` and FD_CLOEXEC, a process started by another thread would inherit the pipe and keep it open.
    try starting.withLock { _ throws(Failure) in try body() }
  }

  /// Starts a process with `posix_spawn` and returns its ID.
  ///
  /// - Parameters:
  ///   - path: The path of the executable.
  ///   - arguments: The arguments after the program's name.
  ///   - descriptors: The descriptors that the child gets under the numbers 0, 1, …; a negative one stands for
  ///     `/dev/null`, opened for reading.
  ///   - leadsGroup: Whether the process leads a process group of its own.
  /// - Throws: `inputOutput` if the process can't be started.
  static func start(
    _ path: String, _ arguments: [String], descriptors: [Int32], leadsGroup: Bool
  ) throws(FunnelError) -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Each descriptor is first duplicated to a number above the targets, so that no `dup2` overwrites a source of a later one.
    var duplicates: [Int32] = []
    defer { for descriptor in duplicates { closeDescriptor(descriptor) } }
    for (number, descriptor) in descriptors.enumerated() {
      guard descriptor >= 0 else {
        posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDONLY, 0)
        continue
      }
      let free = fcntl(descriptor, F_DUPFD_CLOEXEC, Int32(descriptors.count))
      guard free >= 0 else { throw failure("start \(path)", errno) }
      duplicates.append(free)
      posix_spawn_file_actions_adddup2(&actions, free, Int32(number))
    }
    // All other descriptors are closed in the child: it would otherwise keep, for example, a client's connection open.
    #if canImport(Glibc)
      _ = closeFrom?(&actions, Int32(max(descriptors.count, standardStreamCount)))
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The child starts with an empty signal mask and the default actions of the signals that this process ignores.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var ignored = sigset_t()
    sigemptyset(&ignored)
    for signal in [SIGPIPE, SIGXFSZ] { sigaddset(&ignored, signal) }
    posix_spawnattr_setsigdefault(&attributes, &ignored)
    var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    #if canImport(Darwin)
      flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
    #endif
    if leadsGroup {
      posix_spawnattr_setpgroup(&attributes, 0)
      flags |= Int32(POSIX_SPAWN_SETPGROUP)
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let number = posix_spawn(&process, path, &actions, &attributes, words, environ)
    guard number == 0 else { throw failure("start \(path)", number) }
    return process
  }

  /// The number of standard streams, which the child keeps even if fewer descriptors are passed.
  private static let standardStreamCount = 3

  #if canImport(Glibc)
    /// `posix_spawn_file_actions_addclosefrom_np`, which Swift's Glibc module does not export; `nil` before glibc 2.34.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
      unsafeBitCast(
        $0, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)
    }
  #endif

  /// Returns whether a process has ended. The process is not reaped, so its ID is not reused.
  static func hasEnded(_ process: pid_t) -> Bool {
    while true {
      var information = siginfo_t()
      let result = waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | WNOHANG)
      if result == 0 { return information.si_signo != 0 }
      if errno != EINTR { return true }
    }
  }

  /// Waits until a process has ended or the deadline has passed. Returns whether the process has ended. It is not reaped.
  ///
  /// - Parameter deadline: A time as returned by ``seconds()``.
  static func hasEnded(_ process: pid_t, before deadline: Int) -> Bool {
    while !hasEnded(process) {
      guard seconds() < deadline else { return false }
      usleep(pauseMicroseconds)
    }
    return true
  }

  /// The pause between two checks whether a process has ended. POSIX has no wait with a timeout.
  private static let pauseMicroseconds: UInt32 = 2_000

  /// Waits for the end of a process and reaps it. Returns its exit code, or `nil` if a signal ended it.
  @discardableResult
  static func wait(for process: pid_t) -> Int32? {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return exitCode(ofStatus: status)
  }

  /// Returns the exit code in a status of `waitpid`, or `nil` if a signal ended the process.
  static func exitCode(ofStatus status: Int32) -> Int32? {
    // WIFEXITED and WEXITSTATUS are macros, which Swift does not import.
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : nil
  }

  // Wrappers of system calls for types that have methods of the same names.

  /// Closes a descriptor.
  static func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
  /// Sends a signal to a process, or to a process group if the ID is negative. Returns 0, or -1 on failure.
  static func signalProcess(_ process: pid_t, _ number: Int32) -> Int32 { kill(process, number) }
  /// Returns the number of bytes read, 0 at the end of the file, or -1 on failure.
  static func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
  }
  /// Returns the number of bytes written, or -1 on failure.
  static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
  }

  /// The time of the monotonic clock, in seconds.
  static func seconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec)
  }

  /// Returns the error for a failed attempt, such as "make a pipe"; `number` is an `errno`.
  static func failure(_ attempt: String, _ number: Int32) -> FunnelError {
    FunnelError(
      .inputOutput, "can't \(attempt), \(String(cString: strerror(number))), check memory, processes and descriptors")
  }
}

/// A pipe whose ends are closed on exec.
struct Pipe {
  /// The value of an end that is not open. It is negative, so `poll` ignores it and ``ProcessStart`` replaces it by
  /// `/dev/null`.
  private static let closed: Int32 = -1

  /// The descriptor of the read end, or -1.
  private(set) var reading = Self.closed
  /// The descriptor of the write end, or -1.
  private(set) var writing = Self.closed

  /// Opens the pipe. Returns `false` and leaves `errno` if that fails.
  mutating func open() -> Bool {
    var ends = [Self.closed, Self.closed]
    guard pipe(&ends) == 0 else { return false }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = ends[1]
    return true
  }

  /// Closes the read end if it is open.
  mutating func closeReading() {
    if reading >= 0 { ProcessStart.closeDescriptor(reading) }
    reading = Self.closed
  }

  /// Closes the write end if it is open.
  mutating func closeWriting() {
    if writing >= 0 { ProcessStart.closeDescriptor(writing) }
    writing = Self.closed
  }

  /// Returns the write end, which the caller must close.
  mutating func takeWriting() -> Int32 {
    defer { writing = Self.closed }
    return writing
  }

  /// Returns the read end, which the caller must close.
  mutating func takeReading() -> Int32 {
    defer { reading = Self.closed }
    return reading
  }

  /// Closes both ends.
  mutating func close() {
    closeWriting()
    closeReading()
  }
}
