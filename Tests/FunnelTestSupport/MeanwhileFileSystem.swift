package import FunnelModel
package import FunnelSystem

/// A disk on which another command acts immediately before a file is accessed.
package final class MeanwhileFileSystem: FrontFileSystem {
  package let disk = LocalFileSystem()
  private let suffix: String
  private let touch: Int
  private let event: @Sendable () throws -> Void
  private let state = Guarded((touches: 0, failure: String?.none))

  /// Creates a disk that calls `event` immediately before a file is opened or its status is read.
  ///
  /// - Parameters:
  ///   - touch: The number of the access, from 1.
  ///   - suffix: The end of the file's path; accesses to all files with this suffix are counted.
  package init(touch: Int = 1, of suffix: String, _ event: @escaping @Sendable () throws -> Void) {
    (self.touch, self.suffix, self.event) = (touch, suffix, event)
  }

  /// The number of accesses so far to files with the suffix.
  package var touches: Int { state.withLock { $0.touches } }
  package var hasHappened: Bool { touches >= touch }
  /// The error that the event threw, or nil.
  package var failure: String? { state.withLock { $0.failure } }

  package func open(_ path: StoragePath, for access: FileAccess) throws(FunnelError) -> File {
    touched(path)
    return try disk.open(path, for: access)
  }

  package func status(of path: StoragePath) throws(FunnelError) -> FileStatus? {
    touched(path)
    return try disk.status(of: path)
  }

  private func touched(_ path: StoragePath) {
    guard path.description.hasSuffix(suffix) else { return }
    // The event runs outside of the lock because it may access the same files.
    let isIt = state.withLock { state in
      state.touches += 1
      return state.touches == touch
    }
    guard isIt else { return }
    do { try event() } catch { state.withLock { $0.failure = "\(error)" } }
  }
}
