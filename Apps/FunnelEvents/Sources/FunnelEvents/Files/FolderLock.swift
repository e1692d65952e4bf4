#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The lock of a folder. One recorder of one process holds it until it is deallocated or the process ends.
final class FolderLock {
  private let descriptor: Int32

  /// Acquires the lock.
  ///
  /// - Throws: ``EventRecorderError`` with the code `folderInUse` if another recorder holds it.
  init(_ path: String) throws(EventRecorderError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemCalls.failure("open", path) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let isTaken = errno == EWOULDBLOCK
      let failure = SystemCalls.failure("lock", path)
      close(descriptor)
      throw isTaken
        ? EventRecorderError(.folderInUse, "another recorder writes to the folder of \(path); close it, or use another folder")
        : failure
    }
    // The property is set last: if an initializer throws after all properties are set, the deinitializer runs too. It
    // would close the descriptor a second time, which may be another file's by then.
    self.descriptor = descriptor
  }

  deinit {
    // A child process that was started meanwhile shares the open file until it runs its own program, so closing the
    // descriptor alone would not release the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
