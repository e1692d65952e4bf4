public import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file system of the machine.
///
/// Descriptors are closed on exec. Folders and files are created for their owner only (0700 and 0600) unless they are created to be shared.
///
/// Below the base of a path no link is followed in any component, and only regular files are opened (opening a FIFO would wait forever). A
/// file with a second name, a hard link, is not opened for writing. So nobody who can put files into a store can make the tool change, or
/// wait for, anything outside it.
public struct LocalFileSystem: FileSystem {
  public init() {}

  public func open(_ path: StoragePath, for access: FileAccess) throws(FunnelError) -> File {
    let (flags, mode, attempt) = Self.parameters(of: access)
    return try withFolder(of: path, attempt) { (folder, name, follows) throws(FunnelError) in
      let guardFlags = follows ? 0 : O_NOFOLLOW | O_NONBLOCK
      let descriptor = retried { openat(folder, name, flags | O_CLOEXEC | O_NOCTTY | guardFlags, mode) }
      guard descriptor >= 0 else { throw SystemFailure.error(attempt, path, errno) }
      let file = File(descriptor: descriptor, path: path)
      if !follows { try Self.requirePlain(file, attempt, isWritten: access != .read) }
      return file
    }
  }

  /// Checks that an open file is a regular one and, if it is to be written, has no second name. An open file can't be replaced after the
  /// check.
  private static func requirePlain(_ file: File, _ attempt: SystemFailure.Attempt, isWritten: Bool) throws(FunnelError) {
    var status = stat()
    guard fstat(file.descriptor, &status) == 0 else { throw SystemFailure.error(.examine, file.path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemFailure.notRegular(attempt, file.path) }
    guard !isWritten || status.st_nlink <= 1 else { throw SystemFailure.hardLinked(file.path) }
  }

  public func status(of path: StoragePath) throws(FunnelError) -> FileStatus? {
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

  public func list(_ path: StoragePath) throws(FunnelError) -> [String] {
    let folder = try directory(path, .list)
    // The listing closes its descriptor, so it gets a duplicate.
    let copy = fcntl(folder.descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw SystemFailure.error(.list, path, errno) }
    return try FolderListing.names(inOpen: copy) { SystemFailure.error(.list, path, $1) }
  }

  public func syncDirectory(_ path: StoragePath) throws(FunnelError) {
    try sync(try directory(path, .flush))
  }

  public func rename(_ path: StoragePath, to target: StoragePath) throws(FunnelError) {
    try withFolder(of: path, .rename) { (folder, name, _) throws(FunnelError) in
      try withFolder(of: target, .rename) { (targetFolder, targetName, _) throws(FunnelError) in
        guard renameat(folder, name, targetFolder, targetName) == 0 else {
          throw SystemFailure.error(.rename, target, errno)
        }
      }
    }
  }

  public func remove(_ path: StoragePath) throws(FunnelError) {
    try withFolder(of: path, .remove) { (folder, name, _) throws(FunnelError) in
      guard unlinkat(folder, name, 0) == 0 else { throw SystemFailure.error(.remove, path, errno) }
    }
  }

  public func createDirectory(_ path: StoragePath) throws(FunnelError) {
    try withFolder(of: path, .create) { (folder, name, _) throws(FunnelError) in
      guard mkdirat(folder, name, 0o700) == 0 else { throw SystemFailure.error(.create, path, errno) }
    }
  }

  public func removeDirectory(_ path: StoragePath) throws(FunnelError) {
    try withFolder(of: path, .remove) { (folder, name, _) throws(FunnelError) in
      guard unlinkat(folder, name, AT_REMOVEDIR) == 0 else { throw SystemFailure.error(.remove, path, errno) }
    }
  }

  private static func parameters(of access: FileAccess) -> (flags: Int32, mode: mode_t, attempt: SystemFailure.Attempt) {
    switch access {
    case .read: (O_RDONLY, 0, .read)
    case .update: (O_RDWR, 0, .write)
    case .updateOrCreate: (O_RDWR | O_CREAT, 0o600, .create)
    case .create(let shared): (O_RDWR | O_CREAT | O_EXCL, shared ? 0o666 : 0o600, .create)
    case .stream: (O_WRONLY, 0, .write)
    }
  }
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .link
      default: .other
      }
    self.init(
      kind: kind, size: Int(status.st_size),
      identity: [UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino)],
      isOwnAndExposed: status.st_uid == geteuid() && status.st_mode & 0o077 != 0)
  }
}
