public import FunnelModel
public import FunnelSystem

/// A disk on which another command does something at the very moment a file is looked at.
public final class MeanwhileFileSystem: FrontFileSystem {
  public let disk = LocalFileSystem()
  private let suffix: String
  private let touch: Int
  private let event: @Sendable () throws -> Void
  private let state = Guarded((touches: 0, failure: String?.none))

  /// - Parameters:
  ///   - touch: which time a file whose path ends so is asked for or opened, from 1; the event happens just before.
  public init(touch: Int = 1, of suffix: String, _ event: @escaping @Sendable () throws -> Void) {
    (self.touch, self.suffix, self.event) = (touch, suffix, event)
  }

  /// How often such a file was asked for or opened.
  public var touches: Int { state.withLock { $0.touches } }
  public var hasHappened: Bool { touches >= touch }
  /// What the event threw.
  public var failure: String? { state.withLock { $0.failure } }

  public func open(_ path: StoragePath, for access: FileAccess) throws(FunnelError) -> File {
    touched(path)
    return try disk.open(path, for: access)
  }

  public func status(of path: StoragePath) throws(FunnelError) -> FileStatus? {
    touched(path)
    return try disk.status(of: path)
  }

  private func touched(_ path: StoragePath) {
    guard path.description.hasSuffix(suffix) else { return }
    // Not under the lock: the event may look at the same files.
    let isIt = state.withLock { state in
      state.touches += 1
      return state.touches == touch
    }
    guard isIt else { return }
    do { try event() } catch { state.withLock { $0.failure = "\(error)" } }
  }
}
