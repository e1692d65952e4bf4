public import FunnelModel

/// The system calls that change the disk, and those that read it back. Tests replace it; ``LocalFileSystem`` is the
/// real implementation.
///
/// Each method makes one system call, continues short reads and writes, and repeats interrupted calls. A test can
/// therefore inject a failure or a crash before or after any change of the disk.
///
/// Error messages are sentences with the path and the system's reason. The codes are `noInput` if a file is missing
/// or can't be read, `cannotCreate` if a file can't be created or written to for lack of permission, and
/// `inputOutput` otherwise, for example on a full disk.
public protocol FileSystem: Sendable {
  /// Opens a file.
  func open(_ path: StoragePath, for access: FileAccess) throws(FunnelError) -> File
  /// Returns the status of the file or folder at a path, or `nil` if there is none.
  func status(of path: StoragePath) throws(FunnelError) -> FileStatus?
  /// Returns the length of an open file in bytes.
  func size(of file: File) throws(FunnelError) -> Int
  /// Returns the names in a folder, sorted by their bytes, without `.` and `..`.
  func list(_ path: StoragePath) throws(FunnelError) -> [String]
  /// Reads from the current offset of the file, and advances it. Returns the number of bytes read, or 0 at the end of the file.
  ///
  /// The buffer is not necessarily filled.
  func read(_ file: File, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int
  /// Reads from an offset until the buffer is full or the file ends. Returns the number of bytes read.
  func read(_ file: File, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int

  /// Writes all bytes at an offset.
  func write(_ bytes: UnsafeRawBufferPointer, to file: File, at offset: Int) throws(FunnelError)
  /// Truncates or extends a file to a length.
  func truncate(_ file: File, to length: Int) throws(FunnelError)
  /// Waits until the contents and the length of a file are durable (`fsync`).
  ///
  /// Must not be retried after an error: the kernel may have dropped data it could not write, and a later call
  /// would succeed although the data is lost.
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
  /// Tries to acquire the exclusive lock of a file (`flock`). Returns `false` if another process, or another open
  /// file, holds it.
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
  /// Reading and writing a new file; opening fails if the name is taken. If it is not `shared`, only its owner can
  /// access it (0600).
  case create(shared: Bool)
  /// Writing to an existing pipe, terminal or device.
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
  /// The device number and the inode number, which identify the file on this machine.
  public var identity: [UInt64]
  /// Whether the file belongs to this user and other users may read, write or execute it.
  public var isOwnAndExposed: Bool

  public init(kind: Kind, size: Int, identity: [UInt64], isOwnAndExposed: Bool = false) {
    self.kind = kind
    self.size = size
    self.identity = identity
    self.isOwnAndExposed = isOwnAndExposed
  }
}
