import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Repeats a system call as long as a signal interrupts it.
@inline(__always)
package func retried<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}

extension LocalFileSystem {
  /// Calls the body with an open folder, the last name of the path in it, and whether links are followed there.
  ///
  /// Below the base each folder is opened relative to the previous one without following a link. Check and use are one step, so that nobody
  /// can replace a folder by a link in between.
  func withFolder<Result>(
    of path: StoragePath, _ attempt: SystemFailure.Attempt,
    _ body: (_ folder: Int32, _ name: String, _ followsLinks: Bool) throws(FunnelError) -> Result
  ) throws(FunnelError) -> Result {
    if path.inside.isEmpty { return try body(AT_FDCWD, path.base, true) }
    let folder = try directory(path.parent, attempt)
    return try withExtendedLifetime(folder) { () throws(FunnelError) in
      try body(folder.descriptor, path.name, false)
    }
  }

  /// Opens a folder, which must exist.
  func directory(_ path: StoragePath, _ attempt: SystemFailure.Attempt) throws(FunnelError) -> File {
    guard let folder = try directoryIfPresent(path, attempt) else { throw SystemFailure.error(attempt, path, ENOENT) }
    return folder
  }

  /// Opens a folder. Returns nil if it, or one on the way to it, is missing.
  func directoryIfPresent(_ path: StoragePath, _ attempt: SystemFailure.Attempt) throws(FunnelError) -> File? {
    var folder = try openDirectory(nil, path.base, 0, path, attempt)
    for name in path.inside.split(separator: "/") {
      guard let above = folder else { return nil }
      folder = try openDirectory(above, String(name), O_NOFOLLOW, path, attempt)
    }
    return folder
  }

  private func openDirectory(
    _ folder: File?, _ name: String, _ flags: Int32, _ path: StoragePath, _ attempt: SystemFailure.Attempt
  ) throws(FunnelError) -> File? {
    let descriptor = retried { openat(folder?.descriptor ?? AT_FDCWD, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags) }
    if descriptor >= 0 { return File(descriptor: descriptor, path: path) }
    if errno == ENOENT { return nil }
    // Below the base a component that is not a folder is a link, or as bad: with `O_DIRECTORY` Linux reports a link as `ENOTDIR`, not
    // `ELOOP`.
    if errno == ENOTDIR, folder != nil { throw SystemFailure.noFolder(attempt, path) }
    throw SystemFailure.error(attempt, path, errno)
  }
}
