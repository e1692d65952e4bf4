#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system calls of the recorder. Their errors are ``EventRecorderError``.
enum SystemCalls {
  /// Writes bytes with one system call. Returns the number of bytes written, or -1 with `errno` set.
  typealias Write = @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int

  /// The system's `write`, repeated if a signal interrupts it.
  static let write: Write = { descriptor, bytes in
    while true {
      #if canImport(Glibc)
        let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      #elseif canImport(Musl)
        let count = Musl.write(descriptor, bytes.baseAddress, bytes.count)
      #else
        let count = Darwin.write(descriptor, bytes.baseAddress, bytes.count)
      #endif
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// The size of the pieces in which a file is read.
  private static let chunkBytes = 1 << 16

  /// Returns the error for the call that failed last, by `errno`.
  static func failure(_ attempt: String, _ path: String) -> EventRecorderError {
    let number = errno
    let remedy =
      switch number {
      case ENOSPC, EDQUOT: "free some space"
      case EACCES, EPERM: "check the permissions, and whether the device was unlocked"
      default: "check the folder"
      }
    return EventRecorderError(.storage, "cannot \(attempt) \(path): \(String(cString: strerror(number))), \(remedy)")
  }

  /// Creates a folder and missing folders above it, accessible to their owner only.
  static func makeFolder(_ path: String) throws(EventRecorderError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash > path.startIndex else {
      throw failure("make", path)
    }
    try makeFolder(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("make", path) }
  }

  /// Returns the names in a folder, in no particular order.
  static func names(in folder: String) throws(EventRecorderError) -> [String] {
    guard let stream = opendir(folder) else { throw failure("list", folder) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Returns the size of a file, or `nil` if it does not exist.
  static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Returns the bytes of a file.
  static func contents(of path: String) throws(EventRecorderError) -> [UInt8] {
    guard let bytes = try contents(ofFileIfPresent: path) else { throw failure("read", path) }
    return bytes
  }

  /// Returns the bytes of a file, or `nil` with `errno` set if it does not exist.
  static func contents(ofFileIfPresent path: String) throws(EventRecorderError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("read", path)
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: chunkBytes)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure("read", path) }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }

  /// Replaces the contents of a file atomically: a process that is killed leaves the old contents or the new ones.
  static func replace(_ path: String, with bytes: [UInt8], write: @escaping Write) throws(EventRecorderError) {
    let temporary = path + temporarySuffix
    _ = unlink(temporary)
    do throws(EventRecorderError) {
      let file = try AppendFile(temporary, write: write)
      try file.append(bytes)
      try file.sync()
      try rename(temporary, to: path)
    } catch {
      _ = unlink(temporary)
      throw error
    }
  }

  /// Overwrites the first bytes of a file in place and waits until they are on the disk. Returns whether that succeeded: it fails if the
  /// file does not exist.
  static func overwrite(_ path: String, with bytes: [UInt8]) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return pwrite(descriptor, bytes, bytes.count, 0) == bytes.count && fsync(descriptor) == 0
  }

  /// Gives a file a second name, if the file exists and the file system can.
  static func link(_ path: String, as second: String) {
    #if canImport(Glibc)
      _ = Glibc.link(path, second)
    #elseif canImport(Musl)
      _ = Musl.link(path, second)
    #else
      _ = Darwin.link(path, second)
    #endif
  }

  /// The suffix of the name of a file that is not complete.
  static let temporarySuffix = ".tmp"

  /// Deletes a file if it exists.
  static func remove(_ path: String) { _ = unlink(path) }

  /// Removes the contents of a file, if it exists.
  static func empty(_ path: String) { _ = truncate(path, 0) }

  /// Renames a file.
  static func rename(_ path: String, to target: String) throws(EventRecorderError) {
    #if canImport(Glibc)
      let result = Glibc.rename(path, target)
    #elseif canImport(Musl)
      let result = Musl.rename(path, target)
    #else
      let result = Darwin.rename(path, target)
    #endif
    guard result == 0 else { throw failure("rename", path) }
  }

  /// Deletes a folder and its files, if it exists.
  static func removeFolder(_ path: String) {
    guard let names = try? names(in: path) else { return }
    for name in names { remove(path + "/" + name) }
    _ = rmdir(path)
  }
}
