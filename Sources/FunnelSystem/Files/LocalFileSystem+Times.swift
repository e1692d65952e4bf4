package import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension LocalFileSystem {
  /// Returns the version of a file, or `nil` if there is no file. No link is followed.
  package func change(of path: StoragePath) throws(FunnelError) -> FileChange? {
    try information(of: path).map(FileChange.init)
  }

  /// Returns the modification time of a file, or `nil` if there is no file. No link is followed.
  package func modified(_ path: StoragePath) throws(FunnelError) -> Timestamp? {
    guard let status = try information(of: path) else { return nil }
    let time = status.modified
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  private func information(of path: StoragePath) throws(FunnelError) -> stat? {
    var status = stat()
    guard let folder = try directoryIfPresent(path.parent, .examine) else { return nil }
    let result = withExtendedLifetime(folder) { fstatat(folder.descriptor, path.name, &status, AT_SYMLINK_NOFOLLOW) }
    if result == 0 { return status }
    if errno == ENOENT { return nil }
    throw SystemFailure.error(.examine, path, errno)
  }

  /// Sets the modification time of a file. No link is followed.
  ///
  /// - Throws: `cannotCreate` or `inputOutput` if the system does not allow it: only the owner of a file may set its times.
  package func setModified(_ path: StoragePath, to time: Timestamp) throws(FunnelError) {
    let seconds = Int64((Double(time.milliseconds) / 1000).rounded(.down))
    let moment = timespec(tv_sec: Int(seconds), tv_nsec: Int(time.milliseconds - seconds * 1000) * 1_000_000)
    try withFolder(of: path, .write) { (folder, name, _) throws(FunnelError) in
      guard utimensat(folder, name, [moment, moment], AT_SYMLINK_NOFOLLOW) == 0 else {
        throw SystemFailure.error(.write, path, errno)
      }
    }
  }
}

/// The version of a file: two values are equal if the file was neither changed nor replaced in between.
package struct FileChange: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  /// The time of the last change of the contents.
  private let modified: Time
  /// The time of the last change of the inode, which no program can set.
  private let changed: Time

  /// A time in the resolution of the file system.
  private struct Time: Hashable {
    let seconds: Int
    let nanoseconds: Int

    init(_ time: timespec) {
      seconds = time.tv_sec
      nanoseconds = time.tv_nsec
    }
  }

  fileprivate init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    modified = Time(status.modified)
    changed = Time(status.changed)
  }
}

extension stat {
  // The fields of Linux and Darwin under common names.
  #if canImport(Glibc)
    fileprivate var modified: timespec { st_mtim }
    fileprivate var changed: timespec { st_ctim }
  #else
    fileprivate var modified: timespec { st_mtimespec }
    fileprivate var changed: timespec { st_ctimespec }
  #endif
}
