import FunnelModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What starting and ending processes needs of the system.
enum ProcessStart {
  private static let starting = Guarded(())

  /// Calls a closure that makes pipes and starts a process with them, one after the other: a process that is started meanwhile would inherit
  /// a pipe that is not closed for it yet, and keep it open.
  static func one<Failure: Error>(_ body: () throws(Failure) -> pid_t) throws(Failure) -> pid_t {
    try starting.withLock { _ throws(Failure) in try body() }
  }

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - descriptors: What becomes the process's descriptors from 0 on; a negative one is `/dev/null` to read from.
  ///   - leadsGroup: Whether it is the first of a process group of its own.
  /// - Throws: `inputOutput` if it can't be started.
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
    // None of them is meant to be one of the child's first, so that none is overwritten before it is taken.
    var moved: [Int32] = []
    defer { for descriptor in moved { closeDescriptor(descriptor) } }
    for (number, descriptor) in descriptors.enumerated() {
      guard descriptor >= 0 else {
        posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDONLY, 0)
        continue
      }
      let free = fcntl(descriptor, F_DUPFD_CLOEXEC, Int32(descriptors.count))
      guard free >= 0 else { throw failure("start \(path)", errno) }
      moved.append(free)
      posix_spawn_file_actions_adddup2(&actions, free, Int32(number))
    }
    // Whatever else is open here, such as the connection of a client who waits for its end, is none of the child's.
    #if canImport(Glibc)
      _ = closeFrom?(&actions, Int32(max(descriptors.count, 3)))
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Signals that this process handles otherwise are the child's own again.
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

  #if canImport(Glibc)
    /// `posix_spawn_file_actions_addclosefrom_np`, which Swift's Glibc module does not export.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
      unsafeBitCast(
        $0, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)
    }
  #endif

  /// Returns whether a process has ended. It is not taken note of: its number is not given to another one.
  static func hasEnded(_ process: pid_t) -> Bool {
    while true {
      var information = siginfo_t()
      let result = waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | WNOHANG)
      if result == 0 { return information.si_signo != 0 }
      if errno != EINTR { return true }
    }
  }

  /// Waits until a process has ended or it is time, and returns whether it has ended. It is not taken note of.
  ///
  /// - Parameter deadline: A time of ``seconds()``.
  static func hasEnded(_ process: pid_t, before deadline: Int) -> Bool {
    while !hasEnded(process) {
      guard seconds() < deadline else { return false }
      usleep(pauseMicroseconds)
    }
    return true
  }

  private static let pauseMicroseconds: UInt32 = 2_000

  /// Waits for the end of a process, and returns its exit code; nil if a signal ended it.
  @discardableResult
  static func wait(for process: pid_t) -> Int32? {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
  }

  // The system's functions, whose names methods elsewhere have too.
  static func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
  static func signalProcess(_ process: pid_t, _ number: Int32) -> Int32 { kill(process, number) }
  static func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
  }
  static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
  }

  /// The time of a clock that is never set.
  static func seconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec)
  }

  static func failure(_ attempt: String, _ number: Int32) -> FunnelError {
    FunnelError(
      .inputOutput, "can't \(attempt), \(String(cString: strerror(number))), check memory, processes and descriptors")
  }
}

/// The two ends of a pipe, which no other child inherits.
struct Pipe {
  var reading: Int32 = -1
  var writing: Int32 = -1

  mutating func open() -> Bool {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return false }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
    return true
  }

  mutating func closeReading() {
    if reading >= 0 { ProcessStart.closeDescriptor(reading) }
    reading = -1
  }

  mutating func closeWriting() {
    if writing >= 0 { ProcessStart.closeDescriptor(writing) }
    writing = -1
  }

  /// Returns the end to write to, which whoever calls closes.
  mutating func takeWriting() -> Int32 {
    defer { writing = -1 }
    return writing
  }

  /// Returns the end to read from, which whoever calls closes.
  mutating func takeReading() -> Int32 {
    defer { reading = -1 }
    return reading
  }

  mutating func close() {
    closeWriting()
    closeReading()
  }
}
