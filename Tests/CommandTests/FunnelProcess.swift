import Foundation

/// A process of the real binary, which can be waited for or killed.
final class FunnelProcess {
  let id: pid_t

  /// Starts `funnel` and discards its output.
  init(_ arguments: [String]) throws {
    var words: [UnsafeMutablePointer<CChar>?] = ([FunnelRun.executable.path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    var id: pid_t = 0
    let result = posix_spawn(&id, FunnelRun.executable.path, &actions, nil, &words, environ)
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EIO) }
    self.id = id
  }

  /// Kills the process with SIGKILL.
  func kill() { _ = Foundation.kill(id, SIGKILL) }

  /// Waits until the process ends.
  ///
  /// - Returns: The exit code, or nil if a signal ended it.
  func wait() -> Int32? {
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1, errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
  }
}
