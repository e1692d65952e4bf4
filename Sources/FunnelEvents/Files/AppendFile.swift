#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file to which whole lines are appended, closed with its last reference. Not to be shared between threads.
final class AppendFile {
  let path: String
  private let descriptor: Int32
  private let write: SystemCalls.Write
  /// The length of the file, without what may be left of a write that failed.
  private(set) var byteCount: Int
  /// Whether bytes of a write that failed could not be cut off.
  private var isTorn = false

  /// Opens a file for its owner only, and creates it if it is missing.
  init(_ path: String, write: @escaping SystemCalls.Write = SystemCalls.write) throws(EventRecorderError) {
    descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemCalls.failure("open", path) }
    self.path = path
    self.write = write
    byteCount = SystemCalls.size(of: path) ?? 0
  }

  deinit { _ = close(descriptor) }

  /// Appends bytes with one system call, unless the system takes only a part of them.
  ///
  /// If it fails, what was written of the bytes is cut off again, so that the next line is not glued to it.
  func append(_ bytes: [UInt8]) throws(EventRecorderError) {
    let text = isTorn ? [UInt8(ascii: "\n")] + bytes : bytes
    var rest = text[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0) }
      guard count > 0 else {
        // A regular file that takes nothing is full.
        if count == 0 { errno = ENOSPC }
        let failure = SystemCalls.failure("write to", path)
        if isTorn || rest.count < text.count { isTorn = ftruncate(descriptor, off_t(byteCount)) != 0 }
        throw failure
      }
      rest = rest.dropFirst(count)
    }
    byteCount = isTorn ? SystemCalls.size(of: path) ?? byteCount : byteCount + bytes.count
    isTorn = false
  }

  /// Waits until the file is on the disk.
  func sync() throws(EventRecorderError) {
    guard fsync(descriptor) == 0 else { throw SystemCalls.failure("flush", path) }
  }
}
