package import FunnelModel
package import FunnelSystem

/// The lock that prevents two nightly runs from writing to the same folder of reports.
///
/// It is an advisory lock of the kernel on the folder, which is released when the process ends for any reason.
package enum NightlyRunLock {
  /// Acquires the lock, which is held until the returned file is released.
  ///
  /// - Throws: `locked` if another nightly run holds it.
  package static func take(in folder: StoragePath) throws(FunnelError) -> File {
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
