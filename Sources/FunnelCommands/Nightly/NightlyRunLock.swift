import FunnelModel
import FunnelSystem

/// Keeps a second night out of a folder of reports while one is running: the kernel's lock on the folder, which it releases however the
/// process ends.
enum NightlyRunLock {
  /// Takes the lock, which is held as long as the returned file lives.
  ///
  /// - Throws: `locked` if another night is running.
  static func take(in folder: StoragePath) throws(FunnelError) -> File {
    let fileSystem = LocalFileSystem()
    let file = try fileSystem.open(folder, for: .read)
    guard try fileSystem.tryLock(file) else {
      throw FunnelError(
        .locked,
        "another funnel nightly is running, \(folder.description.printable), this run did nothing, the other one does all the work"
      )
    }
    return file
  }
}
