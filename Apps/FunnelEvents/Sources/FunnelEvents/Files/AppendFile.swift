#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file to which whole lines are appended. It is closed with its last reference.
final class AppendFile {
  let path: String
  private let descriptor: Int32
  private let write: SystemCalls.Write
  /// The length of the file, without the bytes of a failed write.
  private(set) var byteCount: Int
  /// Whether the file ends with bytes of a failed write that could not be removed.
  private var isTorn = false
  /// Whether the last line of an earlier process has no line feed yet.
  private var needsLineFeed: Bool

  /// Opens a file, and creates it, accessible to its owner only, if it does not exist.
  ///
  /// - Parameter needsLineFeed: Whether the last line is ended before anything is appended.
  init(
    _ path: String, needsLineFeed: Bool = false, write: @escaping SystemCalls.Write = SystemCalls.write
  ) throws(EventRecorderError) {
    descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemCalls.failure("open", path) }
    self.path = path
    self.write = write
    self.needsLineFeed = needsLineFeed
    byteCount = SystemCalls.size(of: path) ?? 0
  }

  deinit { _ = close(descriptor) }

  /// Appends bytes with one system call, or with several if the system writes only a part of them.
  ///
  /// If a call fails, the bytes written so far are removed again, so that the next line does not follow a partial one.
  func append(_ bytes: [UInt8]) throws(EventRecorderError) {
    let endsLine = isTorn || needsLineFeed
    let text = endsLine ? [UInt8(ascii: "\n")] + bytes : bytes
    var remainder = text[...]
    while !remainder.isEmpty {
      let count = remainder.withUnsafeBytes { write(descriptor, $0) }
      guard count > 0 else {
        // The disk is full if nothing is written to a regular file.
        if count == 0 { errno = ENOSPC }
        let failure = SystemCalls.failure("write to", path)
        if isTorn || remainder.count < text.count { isTorn = ftruncate(descriptor, off_t(byteCount)) != 0 }
        throw failure
      }
      assert(count <= remainder.count, "a call writes at most what it is given")
      remainder = remainder.dropFirst(count)
    }
    byteCount = endsLine ? SystemCalls.size(of: path) ?? byteCount : byteCount + bytes.count
    isTorn = false
    needsLineFeed = false
  }

  /// Waits until the contents are on the disk.
  func sync() throws(EventRecorderError) {
    #if canImport(Darwin)
      // Apple's fsync leaves the data in the cache of the disk. Not every file system has the full flush.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw SystemCalls.failure("flush", path) }
  }
}

@available(*, unavailable, message: "the recorder's actor owns the file")
extension AppendFile: Sendable {}
