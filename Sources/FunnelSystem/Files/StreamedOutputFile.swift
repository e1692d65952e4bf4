package import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An output file that is written in chunks, for results that do not fit into memory.
///
/// The chunks go to a temporary file, which replaces the destination atomically on ``commit()``. A destination that
/// is a pipe, a terminal or a device is written to directly. The owner must call ``commit()`` or ``discard()``
/// exactly once.
package struct StreamedOutputFile {
  private let path: String
  private let descriptor: Int32
  /// The paths of the temporary file and of its destination, or `nil` if the destination is written to directly.
  private let move: (from: String, to: String)?

  /// Opens the temporary file, in the folder of the destination so that the rename is atomic.
  ///
  /// - Throws: ``FunnelError`` with code `cannotCreate`.
  package init(creating path: String) throws(FunnelError) {
    self.path = path.printable
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists, status.st_mode & S_IFMT != S_IFREG {
      move = nil
      descriptor = retried { open(path, O_WRONLY | O_CLOEXEC) }
    } else {
      let target = exists ? SystemPath.resolvingLinks(path) : path
      let temporary = "\(target).\(getpid()).tmp"
      move = (temporary, target)
      descriptor = retried { open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666) }
    }
    guard descriptor >= 0 else {
      throw FunnelError(
        .cannotCreate, "cannot write \(self.path): \(SystemError.last.reason), check the folder and its permissions")
    }
  }

  /// Writes a chunk.
  ///
  /// - Returns: `false` if the destination is a pipe whose reader has closed it, which is not an error.
  /// - Throws: ``FunnelError`` with code `inputOutput`.
  package func write(_ bytes: Span<UInt8>) throws(FunnelError) -> Bool {
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
  package func commit() throws(FunnelError) {
    if let move {
      guard retried({ fsync(descriptor) }) == 0, rename(move.from, move.to) == 0 else { throw failure() }
      try LocalFileSystem().syncDirectory(StoragePath(move.to).parent)
    }
    guard close(descriptor) == 0 else { throw failure() }
  }

  /// Closes and removes the temporary file. An existing destination stays unchanged.
  package func discard() {
    _ = close(descriptor)
    if let move { _ = unlink(move.from) }
  }

  private func failure(_ error: SystemError = .last) -> FunnelError {
    FunnelError(.inputOutput, "cannot write \(path): \(error.reason), free some space or choose another place")
  }
}
