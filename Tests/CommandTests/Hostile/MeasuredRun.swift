import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One execution of the real binary, with its own peak memory and its CPU time as the kernel counts them. It is killed if it
/// hangs.
struct MeasuredRun {
  /// The exit code, or 128 plus the number of the signal that ended the process, as in shells.
  var status: Int32
  var output: String
  var errors: String
  var peakBytes: Int
  /// The CPU time of all its threads in seconds, which hardly depends on how busy the machine is.
  var seconds: Double
  /// Whether the process took too long and was killed.
  var isTimedOut: Bool

  /// Runs `funnel` with empty standard input, or with the output of a shell script.
  init(_ arguments: [String], feeding script: String? = nil, secondsMax: Double = 900) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "measured-run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (outputPath, errorPath) = (folder.appending(path: "output").path, folder.appending(path: "errors").path)
    let out = open(outputPath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let err = open(errorPath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    var input = open("/dev/null", O_RDONLY | O_CLOEXEC)
    var feeder: pid_t?
    if let script {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      feeder = try Self.spawn("/bin/sh", ["-c", script], input: input, output: ends[1], errors: err)
      close(ends[1])
      close(input)
      input = ends[0]
    }
    let child = try Self.spawn(FunnelRun.executable.path, arguments, input: input, output: out, errors: err)
    for descriptor in [input, out, err] { close(descriptor) }
    let watch = Watch(child, secondsMax: secondsMax)
    let result: Int32
    (result, peakBytes, seconds) = Self.wait(for: child)
    isTimedOut = watch.end()
    if let feeder {
      kill(feeder, SIGKILL)
      waitpid(feeder, nil, 0)
    }
    let signal = result & 0x7F
    status = signal == 0 ? (result >> 8) & 0xFF : 128 + signal
    output = String(decoding: try Data(contentsOf: URL(filePath: outputPath)), as: UTF8.self)
    errors = String(decoding: try Data(contentsOf: URL(filePath: errorPath)), as: UTF8.self)
  }

  /// Waits for a process to end, and returns its status, its peak memory and its CPU time in seconds.
  ///
  /// On Linux, a process starts with the peak memory of its parent. So the program's own peak is read from /proc again and
  /// again while it runs.
  private static func wait(for child: pid_t) -> (result: Int32, peakBytes: Int, seconds: Double) {
    var (result, usage) = (Int32(0), rusage())
    #if canImport(Glibc)
      var peakBytes = 0
      while wait4(child, &result, WNOHANG, &usage) == 0 {
        peakBytes = max(peakBytes, peak(of: child))
        usleep(2000)
      }
      return (result, peakBytes, seconds(usage))
    #else
      while wait4(child, &result, 0, &usage) == -1, errno == EINTR {}
      return (result, usage.ru_maxrss, seconds(usage))
    #endif
  }

  private static func seconds(_ usage: rusage) -> Double {
    [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }.reduce(0, +)
  }

  /// Returns the peak memory of a running program so far in bytes, or 0 if it has not started yet or has ended.
  private static func peak(of child: pid_t) -> Int {
    guard let status = try? String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8),
      // Before the program is loaded, the process is still a copy of this one.
      status.hasPrefix("Name:\tfunnel\n"), let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let kilobytes = Int(line.split(separator: " ").dropLast().last ?? "")
    else { return 0 }
    return kilobytes * 1024
  }

  private static func spawn(
    _ program: String, _ arguments: [String], input: Int32, output: Int32, errors: Int32
  ) throws -> pid_t {
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in [input, output, errors].enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var child: pid_t = 0
    let failure = posix_spawn(&child, program, &actions, nil, &words, &variables)
    guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .ENOENT) }
    return child
  }

  /// Kills a process that does not end in time.
  private final class Watch: @unchecked Sendable {
    private let lock = NSCondition()
    private var isOver = false
    private var hasKilled = false

    init(_ child: pid_t, secondsMax: Double) {
      let deadline = Date(timeIntervalSinceNow: secondsMax)
      Thread.detachNewThread { [self] in
        lock.lock()
        defer { lock.unlock() }
        while !isOver, lock.wait(until: deadline) {}
        guard !isOver else { return }
        hasKilled = true
        kill(child, SIGKILL)
      }
    }

    /// Ends the watch, and returns whether it killed the process.
    func end() -> Bool {
      lock.lock()
      defer { lock.unlock() }
      isOver = true
      lock.broadcast()
      return hasKilled
    }
  }
}
