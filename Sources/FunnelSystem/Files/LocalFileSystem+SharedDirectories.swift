public import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension LocalFileSystem {
  /// Creates a folder and its missing ancestors with the permissions that the user's umask allows, like
  /// ``AtomicFile/Permissions/shared``.
  ///
  /// - Throws: `cannotCreate` if a file has the name, or the folder can't be created.
  public func createSharedDirectories(_ path: StoragePath) throws(FunnelError) {
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
