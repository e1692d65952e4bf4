package import FunnelModel

/// The system calls that change the disk, and those that read it back. Tests replace it; ``LocalFileSystem`` is the
/// real implementation.
///
/// Each method makes one system call, continues short reads and writes, and repeats interrupted calls. A test can
/// therefore inject a failure or a crash before or after any change of the disk.
///
/// Error messages are sentences with the path and the system's reason. The codes are `noInput` if a file is missing
/// or can't be read, `cannotCreate` if a file can't be created or written to for lack of permission, and
/// `inputOutput` otherwise, for example on a full disk.
package protocol FileSystem: Sendable {
  /// Opens a file.
  func open(_ path: StoragePath, for access: FileAccess) throws(FunnelError) -> File
  /// Returns the status of the file or folder at a path, or `nil` if there is none.
  func status(of path: StoragePath) throws(FunnelError) -> FileStatus?
  /// Returns the length of an open file in bytes.
  func size(of file: File) throws(FunnelError) -> Int
  /// Returns the names in a folder, sorted by their bytes, without `.` and `..`.
  func list(_ path: StoragePath) throws(FunnelError) -> [String]
  /// Reads from the current offset of the file, and advances it. Appends the bytes to the output: none at the end of the file.
  ///
  /// The output must not be full. It is not necessarily filled.
  func read(_ file: File, into output: inout OutputSpan<UInt8>) throws(FunnelError)
  /// Reads from an offset, and appends the bytes to the output, until it is full or the file ends.
  func read(_ file: File, at offset: Int, into output: inout OutputSpan<UInt8>) throws(FunnelError)

  /// Writes all bytes at an offset.
  func write(_ bytes: Span<UInt8>, to file: File, at offset: Int) throws(FunnelError)
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

extension FileSystem {
  /// Writes all bytes at an offset.
  package func write(_ bytes: [UInt8], to file: File, at offset: Int) throws(FunnelError) {
    try write(bytes.span, to: file, at: offset)
  }

  /// Reads `count` bytes from an offset. Returns fewer only if the file is shorter.
  package func read(_ file: File, at offset: Int, count: Int) throws(FunnelError) -> [UInt8] {
    precondition(offset >= 0 && count >= 0, "a range of a file is not negative")
    if count == 0 { return [] }
    return try [UInt8](capacity: count) { (output) throws(FunnelError) in try read(file, at: offset, into: &output) }
  }

  /// Reads a whole file into memory.
  ///
  /// - Throws: `inputOutput` if the file is longer than `bytesMax`, and the errors of opening and reading.
  package func readAll(_ path: StoragePath, bytesMax: Int) throws(FunnelError) -> [UInt8] {
    let file = try open(path, for: .read)
    let size = try size(of: file)
    guard size <= bytesMax else {
      throw FunnelError(
        .inputOutput, "\(path) has \(size) bytes, more than the \(bytesMax) that are read, check that it is the right file")
    }
    return try read(file, at: 0, count: size)
  }

  /// Creates a folder and its missing ancestors, and makes them durable. Returns whether the folder was created.
  ///
  /// It is not an error if another process creates the folder at the same time.
  @discardableResult
  package func createDirectories(_ path: StoragePath) throws(FunnelError) -> Bool {
    if try isDirectory(path) { return false }
    let parent = path.parent
    if parent != path { try createDirectories(parent) }
    do throws(FunnelError) {
      try createDirectory(path)
    } catch {
      guard try isDirectory(path) else { throw error }
      // The process that created it may not have flushed it yet.
      try syncDirectory(parent)
      return false
    }
    try syncDirectory(parent)
    return true
  }

  /// Returns `true` if there is a folder at a path, and `false` if there is nothing.
  ///
  /// - Throws: `cannotCreate` if there is a file of another kind, or if the path can't be examined.
  private func isDirectory(_ path: StoragePath) throws(FunnelError) -> Bool {
    let present: FileStatus?
    do throws(FunnelError) {
      present = try status(of: path)
    } catch {
      throw error.code == .noInput ? FunnelError(.cannotCreate, error.message) : error
    }
    guard let present else { return false }
    guard present.kind == .directory else {
      throw FunnelError(.cannotCreate, "cannot create the folder \(path): something else has that name, choose another")
    }
    return true
  }
}
