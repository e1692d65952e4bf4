#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The lock of a folder, which one recorder of one process holds as long as this object lives. A kill releases it.
final class FolderLock {
  private let descriptor: Int32

  /// Takes the lock, or throws if another recorder has it.
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
    // Only now: if an initializer throws after all properties are set, the deinitializer runs too, and would close the descriptor again,
    // which may be another file's by then.
    self.descriptor = descriptor
  }

  /// The lock is given back in so many words: a child process that was started meanwhile has the same open file
  /// until it runs its own program, and would hold the lock beyond the close.
  deinit {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
