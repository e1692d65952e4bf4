import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The store's lock: the kernel's lock on an open file. The kernel releases it however the process ends; the file stays and has no meaning.
enum StoreLock {
  private static let pauseMicroseconds: UInt32 = 20_000

  /// Takes the lock, waiting while another process holds it. It is held as long as the returned file lives.
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
