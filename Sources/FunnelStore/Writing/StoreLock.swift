import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The store's lock: the kernel's lock on an open file. It goes with the process, however that ends; the file stays and means nothing.
enum StoreLock {
  private static let pauseMicroseconds: UInt32 = 20_000

  /// Takes the lock, waiting for whoever has it. It is held as long as the file returned lives.
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
