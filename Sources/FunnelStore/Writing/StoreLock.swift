import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The exclusive lock of a store's writer (`flock` on a file in the store).
///
/// The kernel releases the lock when the process ends, even after a crash. The existence of the file has no meaning.
enum StoreLock {
  /// The pause between two attempts to acquire the lock.
  private static let pauseMicroseconds: UInt32 = 20_000

  /// Acquires the lock, which is held as long as the returned file lives.
  ///
  /// - Parameter timeout: How long to wait while another process holds the lock.
  /// - Throws: `locked` after the timeout; the errors of opening the file.
  static func take(_ path: StoragePath, timeout: TimeSpan, _ fileSystem: any FileSystem) throws(FunnelError) -> File {
    let file = try fileSystem.open(path, for: .updateOrCreate)
    let deadline = ContinuousClock.now + .milliseconds(timeout.milliseconds)
    while try !fileSystem.tryLock(file) {
      guard ContinuousClock.now < deadline else {
        throw FunnelError(
          .locked,
          "another command is writing to the store \(path.parent), waited \(timeout), try again later or raise --lock-timeout")
      }
      _ = usleep(pauseMicroseconds)
    }
    return file
  }
}
