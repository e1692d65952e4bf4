package import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file system of this machine.
///
/// Descriptors are closed on exec. Folders and files are created for their owner only (0700 and 0600), unless they
/// are to be shared.
///
/// **Security.** A user who can create files in a store must not be able to redirect a read or a write, or to block
/// the tool. Therefore, below the base of a ``StoragePath``, no link is followed, only regular files are opened,
/// and files with hard links are not opened for writing.
package struct LocalFileSystem: FileSystem {
  package init() {}

  package func open(_ path: StoragePath, for access: FileAccess) throws(FunnelError) -> File {
    let (flags, mode, attempt) = Self.parameters(of: access)
    return try withFolder(of: path, attempt) { (folder, name, follows) throws(FunnelError) in
      // Without O_NONBLOCK, opening a FIFO would wait for its other end.
      let guardFlags = follows ? 0 : O_NOFOLLOW | O_NONBLOCK
      let descriptor = retried { openat(folder, name, flags | O_CLOEXEC | O_NOCTTY | guardFlags, mode) }
      guard descriptor >= 0 else { throw SystemFailure.error(attempt, path, errno) }
      let file = File(descriptor: descriptor, path: path)
      if !follows { try Self.requirePlain(file, attempt, isWritten: access != .read) }
      return file
    }
  }

  /// Throws if an open file is not a regular one, or if it is to be written and has a hard link.
  private static func requirePlain(_ file: File, _ attempt: SystemFailure.Attempt, isWritten: Bool) throws(FunnelError) {
    var status = stat()
    guard fstat(file.descriptor, &status) == 0 else { throw SystemFailure.error(.examine, file.path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemFailure.notRegular(attempt, file.path) }
    guard !isWritten || status.st_nlink <= 1 else { throw SystemFailure.hardLinked(file.path) }
  }

  package func status(of path: StoragePath) throws(FunnelError) -> FileStatus? {
    var status = stat()
    let result: Int32
    if path.inside.isEmpty {
      result = fstatat(AT_FDCWD, path.base, &status, 0)
    } else {
      guard let folder = try directoryIfPresent(path.parent, .examine) else { return nil }
      result = withExtendedLifetime(folder) { fstatat(folder.descriptor, path.name, &status, AT_SYMLINK_NOFOLLOW) }
    }
    if result == 0 { return FileStatus(status) }
    if errno == ENOENT { return nil }
    throw SystemFailure.error(.examine, path, errno)
  }

  package func list(_ path: StoragePath) throws(FunnelError) -> [String] {
    let folder = try directory(path, .list)
    // The listing closes its descriptor, so it gets a duplicate.
    let copy = fcntl(folder.descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw SystemFailure.error(.list, path, errno) }
    return try FolderListing.names(inOpen: copy) { SystemFailure.error(.list, path, $1) }
  }

  package func syncDirectory(_ path: StoragePath) throws(FunnelError) {
    try sync(try directory(path, .flush))
  }

  package func rename(_ path: StoragePath, to target: StoragePath) throws(FunnelError) {
    try withFolder(of: path, .rename) { (folder, name, _) throws(FunnelError) in
      try withFolder(of: target, .rename) { (targetFolder, targetName, _) throws(FunnelError) in
        guard renameat(folder, name, targetFolder, targetName) == 0 else {
          throw SystemFailure.error(.rename, target, errno)
        }
      }
    }
  }

  package func remove(_ path: StoragePath) throws(FunnelError) {
    try withFolder(of: path, .remove) { (folder, name, _) throws(FunnelError) in
      guard unlinkat(folder, name, 0) == 0 else { throw SystemFailure.error(.remove, path, errno) }
    }
  }

  package func createDirectory(_ path: StoragePath) throws(FunnelError) {
    try withFolder(of: path, .create) { (folder, name, _) throws(FunnelError) in
      guard mkdirat(folder, name, Self.ownerDirectoryMode) == 0 else { throw SystemFailure.error(.create, path, errno) }
    }
  }

  package func removeDirectory(_ path: StoragePath) throws(FunnelError) {
    try withFolder(of: path, .remove) { (folder, name, _) throws(FunnelError) in
      guard unlinkat(folder, name, AT_REMOVEDIR) == 0 else { throw SystemFailure.error(.remove, path, errno) }
    }
  }

  /// The owner may read, write and list; nobody else has access.
  private static let ownerDirectoryMode: mode_t = 0o700
  private static let ownerFileMode: mode_t = 0o600
  /// Everyone may read and write, less what the umask removes.
  private static let sharedFileMode: mode_t = 0o666

  private static func parameters(of access: FileAccess) -> (flags: Int32, mode: mode_t, attempt: SystemFailure.Attempt) {
    switch access {
    case .read: (O_RDONLY, 0, .read)
    case .update: (O_RDWR, 0, .write)
    case .updateOrCreate: (O_RDWR | O_CREAT, ownerFileMode, .create)
    case .create(.owner): (O_RDWR | O_CREAT | O_EXCL, ownerFileMode, .create)
    case .create(.shared): (O_RDWR | O_CREAT | O_EXCL, sharedFileMode, .create)
    case .stream: (O_WRONLY, 0, .write)
    }
  }
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    let othersMask: mode_t = 0o077
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .link
      default: .other
      }
    self.init(
      kind: kind, size: Int(status.st_size),
      identity: Identity(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino)),
      isOwnAndExposed: status.st_uid == geteuid() && status.st_mode & othersMask != 0)
  }
}
