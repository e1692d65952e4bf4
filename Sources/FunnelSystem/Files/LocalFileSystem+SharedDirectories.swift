public import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension LocalFileSystem {
  /// Makes a folder, and those above it that are missing, for all that the user's umask lets: one for what the user asked to have
  /// written, as ``AtomicFile/Permissions/shared`` is for files.
  ///
  /// - Throws: `cannotCreate` where something else has the name, or the folder can't be made.
  public func createSharedDirectories(_ path: StoragePath) throws(FunnelError) {
    if let status = try statusOfPlace(path) {
      guard status.kind == .directory else {
        throw FunnelError(.cannotCreate, "cannot create the folder \(path): something else has that name, choose another")
      }
      return
    }
    let parent = path.parent
    if parent != path { try createSharedDirectories(parent) }
    try withFolder(of: path, .create) { (folder, name, _) throws(FunnelError) in
      // Somebody else may just have made it.
      guard mkdirat(folder, name, 0o777) == 0 || errno == EEXIST else { throw SystemFailure.error(.create, path, errno) }
    }
    try syncDirectory(parent)
  }
  /// What stands where a folder is wanted: that it can't be told is a failure to make it.
  private func statusOfPlace(_ path: StoragePath) throws(FunnelError) -> FileStatus? {
    do throws(FunnelError) {
      return try status(of: path)
    } catch {
      throw FunnelError(error.code == .noInput ? .cannotCreate : error.code, error.message)
    }
  }
}
