package import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An output file that is written in chunks, for results that do not fit into memory.
///
/// The chunks go to a temporary file, which replaces the destination atomically on ``commit()``. A destination that
/// is a pipe, a terminal or a device is written to directly. A file that is released without a commit leaves an
/// existing destination unchanged, and removes the temporary file. Not thread-safe.
///
///     let file = try StreamedOutputFile(creating: "log.ndjson")
///     while let chunk = next() { _ = try file.write(chunk.span) }
///     try file.commit()
package final class StreamedOutputFile {
  private let path: String
  private let descriptor: Int32
  /// The paths of the temporary file and of its destination, or `nil` if the destination is written to directly.
  private let move: (from: String, to: String)?
  /// Whether the descriptor is open. It is closed by ``commit()`` or by the deinitializer.
  private var isOpen = true

  /// Opens the temporary file, in the folder of the destination so that the rename is atomic.
  ///
  /// - Throws: ``FunnelError`` with code `cannotCreate`.
  package init(creating path: String) throws(FunnelError) {
    let name = path.printable
    var status = stat()
    let exists = stat(path, &status) == 0
    let opened: Int32
    if exists, status.st_mode & S_IFMT != S_IFREG {
      move = nil
      opened = retried { open(path, O_WRONLY | O_CLOEXEC) }
    } else {
      let target = exists ? SystemPath.resolvingLinks(path) : path
      let temporary = "\(target).\(getpid()).tmp"
      move = (temporary, target)
      opened = retried { open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666) }
    }
    guard opened >= 0 else {
      throw FunnelError(
        .cannotCreate, "cannot write \(name): \(SystemError.last.reason), check the folder and its permissions")
    }
    self.path = name
    descriptor = opened
  }

  deinit {
    guard isOpen else { return }
    _ = close(descriptor)
    if let move { _ = unlink(move.from) }
  }

  /// Writes a chunk.
  ///
  /// - Returns: `false` if the destination is a pipe whose reader has closed it, which is not an error.
  /// - Throws: ``FunnelError`` with code `inputOutput`.
  package func write(_ bytes: Span<UInt8>) throws(FunnelError) -> Bool {
    precondition(isOpen, "nothing is written after the commit")
    var written = 0
    while written < bytes.count {
      do throws(SystemError) {
        written += try SystemCalls.write(bytes.extracting(droppingFirst: written), to: descriptor)
      } catch {
        if error.number == EPIPE { return false }
        throw failure(error)
      }
    }
    return true
  }

  /// Makes the file durable, renames it to its destination, and closes it.
  ///
  /// - Throws: ``FunnelError`` with code `inputOutput`.
  package func commit() throws(FunnelError) {
    precondition(isOpen, "a file is committed once")
    if let move {
      guard retried({ fsync(descriptor) }) == 0, rename(move.from, move.to) == 0 else { throw failure() }
      try LocalFileSystem().syncDirectory(StoragePath(move.to).parent)
    }
    isOpen = false
    guard close(descriptor) == 0 else { throw failure() }
  }

  private func failure(_ error: SystemError = .last) -> FunnelError {
    FunnelError(.inputOutput, "cannot write \(path): \(error.reason), free some space or choose another place")
  }
}
