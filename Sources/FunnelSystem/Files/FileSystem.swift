public import FunnelModel

/// The one seam between the tool and the disk: every system call that changes something on it, and those that read it back.
///
/// Each member is one call (short reads and writes continued, interrupted ones repeated), so that a test can make any of them
/// fail, or stop the world before or after it. ``LocalFileSystem`` is the real one.
///
/// Errors are whole sentences with the path and the system's reason. Their codes: `noInput` for what is missing or can't be read,
/// `cannotCreate` for what can't be made or written to for want of permission, `inputOutput` for the rest (a full disk, a broken one).
public protocol FileSystem: Sendable {
  /// Opens a file.
  func open(_ path: StoragePath, for access: FileAccess) throws(FunnelError) -> File
  /// What stands at a path, or nil where there is nothing.
  func status(of path: StoragePath) throws(FunnelError) -> FileStatus?
  /// Length of an open file in bytes.
  func size(of file: File) throws(FunnelError) -> Int
  /// The names in a folder, sorted by their bytes, `.` and `..` left out.
  func list(_ path: StoragePath) throws(FunnelError) -> [String]
  /// Reads from where the last read ended; 0 at the end. May read less than there is room for.
  func read(_ file: File, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int
  /// Reads from an offset until the buffer is full or the file ends; returns how much it read.
  func read(_ file: File, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int

  /// Writes all bytes at an offset.
  func write(_ bytes: UnsafeRawBufferPointer, to file: File, at offset: Int) throws(FunnelError)
  /// Cuts or extends a file to a length.
  func truncate(_ file: File, to length: Int) throws(FunnelError)
  /// Waits until a file's contents and length are on the disk. After a failure the kernel may have dropped what it could not
  /// write: never call it again in the hope of a better answer.
  func sync(_ file: File) throws(FunnelError)
  /// Waits until a folder's entries are on the disk.
  func syncDirectory(_ path: StoragePath) throws(FunnelError)
  /// Gives a file another name in the same folder, replacing what has that name.
  func rename(_ path: StoragePath, to target: StoragePath) throws(FunnelError)
  /// Removes a file.
  func remove(_ path: StoragePath) throws(FunnelError)
  /// Makes a folder that only its owner can enter.
  func createDirectory(_ path: StoragePath) throws(FunnelError)
  /// Removes an empty folder.
  func removeDirectory(_ path: StoragePath) throws(FunnelError)
  /// Tries to take the exclusive kernel lock of a file (`flock`); false where another process, or another open file, has it.
  func tryLock(_ file: File) throws(FunnelError) -> Bool
}

/// What a file is opened for.
public enum FileAccess: Hashable, Sendable {
  /// Reading.
  case read
  /// Reading and writing a file that is there.
  case update
  /// Reading and writing; made where it is missing, for its owner alone (0600).
  case updateOrCreate
  /// A new file; an error where the name is taken. Readable by all that the user's umask lets, or by its owner alone.
  case create(shared: Bool)
  /// Writing to something that is there and has no length: a pipe, a terminal, a device.
  case stream
}

/// What stands at a path.
public struct FileStatus: Hashable, Sendable {
  /// What kind of thing it is.
  public enum Kind: Hashable, Sendable {
    case file, directory, link, other
  }

  public var kind: Kind
  /// Length in bytes.
  public var size: Int
  /// Tells one file from every other on the machine: its device and inode.
  public var identity: [UInt64]
  /// Whether it is this user's own and others may read or write it.
  public var isOwnAndExposed: Bool

  public init(kind: Kind, size: Int, identity: [UInt64], isOwnAndExposed: Bool = false) {
    self.kind = kind
    self.size = size
    self.identity = identity
    self.isOwnAndExposed = isOwnAndExposed
  }
}
