public import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension LocalFileSystem {
  /// Returns the time of the last change of a file's contents, or the one that ``setModified(_:to:)`` set, or nil if there is no file. No
  /// link is followed.
  public func modified(_ path: StoragePath) throws(FunnelError) -> Timestamp? {
    var status = stat()
    guard let folder = try directoryIfPresent(path.parent, .examine) else { return nil }
    let result = withExtendedLifetime(folder) { fstatat(folder.descriptor, path.name, &status, AT_SYMLINK_NOFOLLOW) }
    guard result == 0 else {
      if errno == ENOENT { return nil }
      throw SystemFailure.error(.examine, path, errno)
    }
    #if canImport(Glibc)
      let time = status.st_mtim
    #else
      let time = status.st_mtimespec
    #endif
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Sets the modification time of a file. No link is followed.
  ///
  /// - Throws: `cannotCreate` or `inputOutput` if the system does not allow it: only the owner of a file may set its times.
  public func setModified(_ path: StoragePath, to time: Timestamp) throws(FunnelError) {
    let seconds = Int64((Double(time.milliseconds) / 1000).rounded(.down))
    let moment = timespec(tv_sec: Int(seconds), tv_nsec: Int(time.milliseconds - seconds * 1000) * 1_000_000)
    try withFolder(of: path, .write) { (folder, name, _) throws(FunnelError) in
      guard utimensat(folder, name, [moment, moment], AT_SYMLINK_NOFOLLOW) == 0 else {
        throw SystemFailure.error(.write, path, errno)
      }
    }
  }
}
