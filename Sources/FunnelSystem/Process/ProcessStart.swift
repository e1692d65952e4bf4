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
  static func serially<Failure: Error>(_ body: () throws(Failure) -> pid_t) throws(Failure) -> pid_t {
    // Between `pipe` and FD_CLOEXEC, a process started by another thread would inherit the pipe and keep it open.
    try starting.withLock { _ throws(Failure) in try body() }
  }

  /// Starts a process with `posix_spawn` and returns its ID.
  ///
  /// The child starts with an empty signal mask, and with no open descriptors but the given ones and its standard streams.
  ///
  /// - Parameters:
  ///   - path: The path of the executable.
  ///   - arguments: The arguments after the program's name.
  ///   - descriptors: The child's descriptors 0, 1, and so on, in this order. `nil` is `/dev/null`,
  ///     opened for reading.
  ///   - leadsGroup: Whether the process leads a process group of its own.
  /// - Throws: `inputOutput` if the process can't be started.
  static func start(
    _ path: String, _ arguments: [String], descriptors: [Int32?], leadsGroup: Bool
  ) throws(FunnelError) -> pid_t {
    #if canImport(Darwin)
      var actions: FileActions = nil
      var attributes: Attributes = nil
    #else
      var actions = FileActions()
      var attributes = Attributes()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var duplicates: [Int32] = []
    defer { for descriptor in duplicates { closeDescriptor(descriptor) } }
    for (number, descriptor) in descriptors.enumerated() {
      guard let descriptor else {
        posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDONLY, 0)
        continue
      }
      // The duplicate has a number above the targets, so that no `dup2` overwrites the source of a later one.
      let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, Int32(descriptors.count))
      guard duplicate >= 0 else { throw failure("start \(path)", errno) }
      duplicates.append(duplicate)
      posix_spawn_file_actions_adddup2(&actions, duplicate, Int32(number))
    }
    closeOthers(from: Int32(max(descriptors.count, standardStreamCount)), in: &actions)
    set(&attributes, leadsGroup: leadsGroup)
    var words = ([path] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let number = posix_spawn(&process, path, &actions, &attributes, words, environ)
    guard number == 0 else { throw failure("start \(path)", number) }
    return process
  }

  #if canImport(Darwin)
    private typealias FileActions = posix_spawn_file_actions_t?
    private typealias Attributes = posix_spawnattr_t?
  #else
    private typealias FileActions = posix_spawn_file_actions_t
    private typealias Attributes = posix_spawnattr_t
  #endif

  /// Makes the child close all descriptors from a number on. It would otherwise keep, for example, a client's connection open.
  private static func closeOthers(from first: Int32, in actions: inout FileActions) {
    // Darwin closes them because of POSIX_SPAWN_CLOEXEC_DEFAULT.
    #if canImport(Glibc)
      _ = SystemCalls.closeFrom?(&actions, first)
    #endif
  }

  /// Sets the signals and the process group of the child.
  private static func set(_ attributes: inout Attributes, leadsGroup: Bool) {
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // The child gets the default actions of the signals that this process ignores.
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
  }

  /// The number of standard streams, which the child keeps even if fewer descriptors are passed.
  private static let standardStreamCount = 3

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
  /// The time of the monotonic clock, in seconds.
  static func seconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec)
  }

  /// Returns the error for a failed attempt, such as "make a pipe"; `number` is an `errno`.
  static func failure(_ attempt: String, _ number: Int32) -> FunnelError {
    FunnelError(
      .inputOutput, "can't \(attempt), \(SystemError(number: number).reason), check memory, processes and descriptors")
  }
}
