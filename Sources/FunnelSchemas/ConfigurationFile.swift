import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads configuration files, which must be regular files of limited size.
enum ConfigurationFile {
  /// The kind of file at a path.
  enum Kind { case file, directory, other }

  /// Returns the kind of file at a path. Follows symbolic links.
  static func kind(of path: String) throws(FunnelError) -> Kind {
    // Configuration is often mounted through symbolic links, hence stat and not lstat.
    var information = stat()
    guard stat(path, &information) == 0 else { throw failure(path, errno) }
    switch information.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .directory
    default: return .other
    }
  }

  /// Returns the names in a directory, sorted bytewise, without those that begin with a dot.
  static func names(in directory: String) throws(FunnelError) -> [String] {
    try FolderListing.names(in: directory) {
      failure(directory, $1)
    } where: {
      !$0.name.hasPrefix(".")
    }
  }

  /// Returns the contents of a regular file.
  ///
  /// - Throws: `configuration` if it is not a regular file or is larger than ``Limits/configurationBytesMax``;
  ///   `noInput` or `inputOutput` if it cannot be read.
  static func bytes(of path: String) throws(FunnelError) -> [UInt8] {
    // Without O_NONBLOCK, opening a FIFO would block until a writer opens it.
    let descriptor = retried { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { throw failure(path, errno) }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw failure(path, errno) }
    guard information.st_mode & S_IFMT == S_IFREG else { throw notAFile(path) }
    return try readAll(descriptor, path)
  }

  /// Returns the error for a path that is neither a file nor a directory.
  static func notAFile(_ path: String) -> FunnelError {
    FunnelError(
      .configuration, "\(path.printable): neither a file nor a directory, give a flow definition or a directory of them")
  }

  /// The number of bytes to read at a time.
  private static let chunkByteCount = 1 << 16

  /// Reads a file from a descriptor to its end.
  private static func readAll(_ descriptor: Int32, _ path: String) throws(FunnelError) -> [UInt8] {
    var result: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: chunkByteCount)
    while true {
      let count = retried { read(descriptor, &chunk, chunk.count) }
      guard count >= 0 else { throw failure(path, errno) }
      if count == 0 { return result }
      result.append(contentsOf: chunk[..<count])
      guard result.count <= Limits.configurationBytesMax else {
        throw FunnelError(
          .configuration,
          "\(path.printable): larger than \(Limits.configurationBytesMax) bytes, too large for a flow definition; check that it is the right file"
        )
      }
    }
  }

  /// Returns the error for an `errno`.
  private static func failure(_ path: String, _ number: Int32) -> FunnelError {
    let reason = String(cString: strerror(number))
    switch number {
    case ENOENT, ENOTDIR:
      return FunnelError(.noInput, "\(path.printable): no such file or directory, check the path")
    case EACCES, EPERM:
      return FunnelError(.noInput, "\(path.printable): \(reason), check the permissions")
    default:
      return FunnelError(.inputOutput, "\(path.printable): \(reason), check the file and its disk")
    }
  }
}
