import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file too large to be held in memory, written beside its place and moved there once it is whole: readers see the old file or the
/// new one, never a part. What has no contents to keep (a pipe, a terminal, `/dev/stdout`) is written to as it is.
struct StreamedOutputFile {
  private let path: String
  private let descriptor: Int32
  /// Where the bytes go until they are complete, and where then; nil for what is written to as it is.
  private let move: (from: String, to: String)?

  /// Opens the file that will take the bytes, in the same folder, so that moving it is one step.
  ///
  /// - Throws: ``FunnelError`` with code `cannotCreate`, or `usage` for a name that promises compression.
  init(creating path: String) throws(FunnelError) {
    guard !path.hasSuffix(".gz") else {
      throw FunnelError(
        .usage, "--output \(path.printable): the log is written uncompressed, leave out .gz or pipe it through gzip")
    }
    self.path = path.printable
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists, status.st_mode & S_IFMT != S_IFREG {
      move = nil
      descriptor = retried { open(path, O_WRONLY | O_CLOEXEC) }
    } else {
      let target = exists ? Self.resolvingLinks(path) : path
      let temporary = "\(target).\(getpid()).tmp"
      move = (temporary, target)
      descriptor = retried { open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666) }
    }
    guard descriptor >= 0 else {
      throw FunnelError(.cannotCreate, "cannot write \(self.path): \(Self.reason()), check the folder and its permissions")
    }
  }

  /// Writes all of a chunk.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FunnelError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = Self.write(descriptor, UnsafeRawBufferPointer(rebasing: rest))
      if written >= 0 {
        rest = rest.dropFirst(written)
      } else if errno == EPIPE {
        // The reader of a pipe went away; that is no error.
        Console.endProcess(0)
      } else if errno != EINTR {
        throw failure()
      }
    }
  }

  /// Flushes the file and moves it to its place.
  func commit() throws(FunnelError) {
    if let move {
      guard retried({ fsync(descriptor) }) == 0, rename(move.from, move.to) == 0 else { throw failure() }
      try LocalFileSystem().syncDirectory(StoragePath(move.to).parent)
    }
    guard close(descriptor) == 0 else { throw failure() }
  }

  /// Removes what was written so far; an old file stays as it was.
  func discard() {
    _ = close(descriptor)
    if let move { _ = unlink(move.from) }
  }

  private func failure() -> FunnelError {
    FunnelError(.inputOutput, "cannot write \(path): \(Self.reason()), make room or choose another place")
  }

  private static func reason() -> String { String(cString: strerror(errno)) }

  private static func resolvingLinks(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}
