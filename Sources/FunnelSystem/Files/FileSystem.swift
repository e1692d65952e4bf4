public import FunnelModel

/// The only interface between the tool and the disk: every system call that changes the disk, and those that read it back.
///
/// Each method is one call (short reads and writes are continued, interrupted calls are repeated), so that a test can make any of them
/// fail, or stop before or after it. ``LocalFileSystem`` is the real implementation.
///
/// Errors are whole sentences with the path and the system's reason. Their codes are `noInput` if something is missing or can't be read,
/// `cannotCreate` if something can't be created or written to for lack of permission, and `inputOutput` otherwise (a full disk, a failing
/// one).
public protocol FileSystem: Sendable {
  /// Opens a file.
  func open(_ path: StoragePath, for access: FileAccess) throws(FunnelError) -> File
  /// Returns the status of the file or folder at a path, or nil if there is nothing.
  func status(of path: StoragePath) throws(FunnelError) -> FileStatus?
  /// Returns the length of an open file in bytes.
  func size(of file: File) throws(FunnelError) -> Int
  /// Returns the names in a folder, sorted by their bytes, without `.` and `..`.
  func list(_ path: StoragePath) throws(FunnelError) -> [String]
  /// Reads from the end of the last read and returns the number of bytes read, which is 0 at the end and may be less than there is room
  /// for.
  func read(_ file: File, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int
  /// Reads from an offset until the buffer is full or the file ends. Returns the number of bytes read.
  func read(_ file: File, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int

  /// Writes all bytes at an offset.
  func write(_ bytes: UnsafeRawBufferPointer, to file: File, at offset: Int) throws(FunnelError)
  /// Truncates or extends a file to a length.
  func truncate(_ file: File, to length: Int) throws(FunnelError)
  /// Waits until a file's contents and length are durable. After a failure the kernel may have dropped data it could not write, so a later
  /// call may succeed although the data is lost: never retry.
  func sync(_ file: File) throws(FunnelError)
  /// Waits until a folder's entries are durable.
  func syncDirectory(_ path: StoragePath) throws(FunnelError)
  /// Renames a file within its folder, replacing any file with the new name.
  func rename(_ path: StoragePath, to target: StoragePath) throws(FunnelError)
  /// Removes a file.
  func remove(_ path: StoragePath) throws(FunnelError)
  /// Creates a folder that only its owner can enter.
  func createDirectory(_ path: StoragePath) throws(FunnelError)
  /// Removes an empty folder.
  func removeDirectory(_ path: StoragePath) throws(FunnelError)
  /// Tries to take the exclusive kernel lock of a file (`flock`). Returns false if another process, or another open file, holds it.
  func tryLock(_ file: File) throws(FunnelError) -> Bool
}

/// The purpose for which a file is opened.
public enum FileAccess: Hashable, Sendable {
  /// Reading.
  case read
  /// Reading and writing an existing file.
  case update
  /// Reading and writing a file that is created if it is missing, for its owner only (0600).
  case updateOrCreate
  /// Creating a file; an error if the name is taken. It is accessible to everyone the user's umask admits, or to its owner only.
  case create(shared: Bool)
  /// Writing to something that exists and has no length: a pipe, a terminal, a device.
  case stream
}

/// The status of the file or folder at a path.
public struct FileStatus: Hashable, Sendable {
  /// The kind of a file.
  public enum Kind: Hashable, Sendable {
    case file, directory, link, other
  }

  public var kind: Kind
  /// The length in bytes.
  public var size: Int
  /// The device and the inode, which distinguish the file from every other on the machine.
  public var identity: [UInt64]
  /// Whether it belongs to this user and others may read, write or execute it.
  public var isOwnAndExposed: Bool

  public init(kind: Kind, size: Int, identity: [UInt64], isOwnAndExposed: Bool = false) {
    self.kind = kind
    self.size = size
    self.identity = identity
    self.isOwnAndExposed = isOwnAndExposed
  }
}
