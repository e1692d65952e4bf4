import FunnelModel
import FunnelSystem

/// The paths of a spool, and the operations that create them.
struct SpoolFolder: Sendable {
  /// The kind of the lines in a file.
  enum Area: Hashable, Sendable, CaseIterable {
    case events, deadLetters
  }

  let root: StoragePath
  let fileSystem: any FileSystem

  // Hidden names: readers of the folder skip them.
  private static let lockName = ".collect.lock"
  private static let probeName = ".collect.probe"
  private static let lockPause = Duration.milliseconds(20)

  init(_ path: String, _ fileSystem: any FileSystem) {
    root = StoragePath(path)
    self.fileSystem = fileSystem
  }

  /// Returns the folder of an area.
  func path(of area: Area) -> StoragePath {
    switch area {
    case .events: root
    case .deadLetters: root.inside("rejected")
    }
  }

  /// Creates the folders, checks that files can be created in them, and acquires the lock, which is held as long as the
  /// returned file lives.
  ///
  /// - Throws: `locked` if another process has the spool; `cannotCreate` otherwise.
  func prepare(lockTimeout: TimeSpan) throws(FunnelError) -> File {
    do throws(FunnelError) {
      for area in Area.allCases { try fileSystem.createDirectories(path(of: area)) }
      let lock = try takeLock(timeout: lockTimeout)
      for area in Area.allCases {
        let probe = path(of: area).inside(Self.probeName)
        _ = try fileSystem.open(probe, for: .updateOrCreate)
        try fileSystem.remove(probe)
      }
      return lock
    } catch {
      throw error.code == .locked ? error : FunnelError(.cannotCreate, error.message)
    }
  }

  private func takeLock(timeout: TimeSpan) throws(FunnelError) -> File {
    let file = try fileSystem.open(root.inside(Self.lockName), for: .updateOrCreate)
    let deadline = ContinuousClock.now + .milliseconds(timeout.milliseconds)
    while try !fileSystem.tryLock(file) {
      guard ContinuousClock.now < deadline else {
        throw FunnelError(.locked, "another process collects events in \(root), stop it or choose another spool")
      }
      SpoolQueue.sleep(for: Self.lockPause)
    }
    return file
  }
}
