package import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension LocalFileSystem {
  /// Calls `body` with the open folder of a path, the last name of the path, and whether that name may be a link.
  ///
  /// Below the base, each folder is opened relative to the previous one, without following a link. Check and use
  /// are one system call, so a folder can't be replaced by a link in between.
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

  /// Opens a folder. Throws if it does not exist.
  func directory(_ path: StoragePath, _ attempt: SystemFailure.Attempt) throws(FunnelError) -> File {
    guard let folder = try directoryIfPresent(path, attempt) else { throw SystemFailure.error(attempt, path, ENOENT) }
    return folder
  }

  /// Opens a folder. Returns `nil` if it, or an ancestor, does not exist.
  func directoryIfPresent(_ path: StoragePath, _ attempt: SystemFailure.Attempt) throws(FunnelError) -> File? {
    var folder = try openDirectory(nil, path.base, 0, path, attempt)
    for name in path.inside.split(separator: "/") {
      guard let above = folder else { return nil }
      folder = try openDirectory(above, String(name), O_NOFOLLOW, path, attempt)
    }
    return folder
  }

  /// Opens a folder by its name in another, or by its whole path if `folder` is `nil`. Returns `nil` if it does not exist.
  private func openDirectory(
    _ folder: File?, _ name: String, _ flags: Int32, _ path: StoragePath, _ attempt: SystemFailure.Attempt
  ) throws(FunnelError) -> File? {
    let descriptor = retried { openat(folder?.descriptor ?? AT_FDCWD, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags) }
    if descriptor >= 0 { return File(descriptor: descriptor, path: path) }
    if errno == ENOENT { return nil }
    // With `O_DIRECTORY`, Linux reports a link as `ENOTDIR`, not `ELOOP`.
    if errno == ENOTDIR, folder != nil { throw SystemFailure.noFolder(attempt, path) }
    throw SystemFailure.error(attempt, path, errno)
  }
}

extension LocalFileSystem {
  /// Creates a folder and its missing ancestors with the permissions that the user's umask allows, like
  /// ``FilePermissions/shared``.
  ///
  /// - Throws: `cannotCreate` if a file has the name, or the folder can't be created.
  package func createSharedDirectories(_ path: StoragePath) throws(FunnelError) {
    if let status = try statusOfTarget(path) {
      guard status.kind == .directory else {
        throw FunnelError(.cannotCreate, "cannot create the folder \(path): something else has that name, choose another")
      }
      return
    }
    let parent = path.parent
    if parent != path { try createSharedDirectories(parent) }
    try withFolder(of: path, .create) { (folder, name, _) throws(FunnelError) in
      // Another process may have created it in the meantime.
      guard mkdirat(folder, name, 0o777) == 0 || errno == EEXIST else { throw SystemFailure.error(.create, path, errno) }
    }
    try syncDirectory(parent)
  }

  /// Returns the status at the path of a folder to be created, or `nil` if there is nothing.
  ///
  /// - Throws: `cannotCreate` if the path can't be examined.
  private func statusOfTarget(_ path: StoragePath) throws(FunnelError) -> FileStatus? {
    do throws(FunnelError) {
      return try status(of: path)
    } catch {
      throw FunnelError(error.code == .noInput ? .cannotCreate : error.code, error.message)
    }
  }
}
