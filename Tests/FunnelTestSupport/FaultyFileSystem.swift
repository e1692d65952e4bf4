public import FunnelModel
public import FunnelSystem

/// The disk, with every call that changes it counted, and one of them going wrong on demand.
///
/// It also remembers what was never flushed, so that a test can let the power go and see whether what was reported as safe is. Flushing
/// itself is only noted, which makes tests many times faster.
public final class FaultyFileSystem: FileSystem {
  /// What goes wrong. Calls count from 1.
  public enum Fault: Hashable, Sendable {
    /// Nothing: only count.
    case none
    /// The call fails, the ones after it work.
    case failure(atCall: Int)
    /// The call and all after it fail: a full disk, or one that cannot be written to.
    case failures(fromCall: Int)
    /// A write does half of its work and fails; any other call fails.
    case halfDone(atCall: Int)
    /// The process is killed before the call, after it, or halfway through it: nothing works any more.
    case killBefore(call: Int)
    case killAfter(call: Int)
    case killDuring(call: Int)
  }

  private struct State: Sendable {
    var calls = 0
    var isDead = false
    var unsynced = UnsyncedChanges()
  }

  private let disk = LocalFileSystem()
  private let fault: Fault
  private let state = Guarded(State())

  public init(_ fault: Fault = .none) {
    self.fault = fault
  }

  /// How many calls that change the disk there were.
  public var calls: Int { state.withLock { $0.calls } }

  /// Lets the power go: takes from the disk what was written and never flushed, and what was made in folders that were not.
  public func losePower() throws {
    try state.withLock { $0.unsynced }.undo()
  }

  public func open(_ path: StoragePath, for access: FileAccess) throws(FunnelError) -> File {
    switch access {
    case .read, .update, .stream:
      try live()
      return try disk.open(path, for: access)
    case .updateOrCreate, .create:
      return try change { () throws(FunnelError) in
        let isNew = try disk.status(of: path) == nil
        let file = try disk.open(path, for: access)
        if isNew { state.withLock { $0.unsynced.made(path) } }
        return file
      }
    }
  }

  public func status(of path: StoragePath) throws(FunnelError) -> FileStatus? {
    try live()
    return try disk.status(of: path)
  }

  public func size(of file: File) throws(FunnelError) -> Int {
    try live()
    return try disk.size(of: file)
  }

  public func list(_ path: StoragePath) throws(FunnelError) -> [String] {
    try live()
    return try disk.list(path)
  }

  public func read(_ file: File, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    try live()
    return try disk.read(file, into: buffer)
  }

  public func read(_ file: File, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    try live()
    return try disk.read(file, at: offset, into: buffer)
  }

  public func write(_ bytes: UnsafeRawBufferPointer, to file: File, at offset: Int) throws(FunnelError) {
    let size = try disk.size(of: file)
    state.withLock { $0.unsynced.wrote(file.path, lengthBefore: size) }
    let half = { () throws(FunnelError) in
      try self.disk.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), to: file, at: offset)
    }
    try change(half: half) { () throws(FunnelError) in try disk.write(bytes, to: file, at: offset) }
  }

  public func truncate(_ file: File, to length: Int) throws(FunnelError) {
    try change { () throws(FunnelError) in
      try disk.truncate(file, to: length)
      state.withLock { $0.unsynced.truncated(file.path, to: length) }
    }
  }

  public func sync(_ file: File) throws(FunnelError) {
    try change { () throws(FunnelError) in
      state.withLock { $0.unsynced.synced(file.path) }
    }
  }

  public func syncDirectory(_ path: StoragePath) throws(FunnelError) {
    try change { () throws(FunnelError) in
      guard try disk.status(of: path)?.kind == .directory else { throw Self.noFolder }
      state.withLock { $0.unsynced.syncedFolder(path) }
    }
  }

  public func rename(_ path: StoragePath, to target: StoragePath) throws(FunnelError) {
    try change { () throws(FunnelError) in try disk.rename(path, to: target) }
  }

  public func remove(_ path: StoragePath) throws(FunnelError) {
    try change { () throws(FunnelError) in
      try disk.remove(path)
      state.withLock { $0.unsynced.removed(path) }
    }
  }

  public func createDirectory(_ path: StoragePath) throws(FunnelError) {
    try change { () throws(FunnelError) in
      try disk.createDirectory(path)
      state.withLock { $0.unsynced.made(path) }
    }
  }

  public func removeDirectory(_ path: StoragePath) throws(FunnelError) {
    try change { () throws(FunnelError) in
      try disk.removeDirectory(path)
      state.withLock { $0.unsynced.removed(path) }
    }
  }

  public func tryLock(_ file: File) throws(FunnelError) -> Bool {
    try live()
    return try disk.tryLock(file)
  }

  private static let killed = FunnelError(.inputOutput, "killed by the test")
  private static let noFolder = FunnelError(.inputOutput, "flushed a folder that is none")
  private static let failed = FunnelError(.inputOutput, "failed by the test: No space left on device")

  private func live() throws(FunnelError) {
    if state.withLock({ $0.isDead }) { throw Self.killed }
  }

  private func die() -> FunnelError {
    state.withLock { $0.isDead = true }
    return Self.killed
  }

  /// Counts a call and does it, unless it is the one that goes wrong.
  private func change<Result>(
    half: (() throws(FunnelError) -> Void)? = nil, _ body: () throws(FunnelError) -> Result
  ) throws(FunnelError) -> Result {
    try live()
    let call = state.withLock { state in
      state.calls += 1
      return state.calls
    }
    switch fault {
    case .failure(call): throw Self.failed
    case .failures(let first) where call >= first: throw Self.failed
    case .halfDone(call):
      try half?()
      throw Self.failed
    case .killBefore(call): throw die()
    case .killDuring(call):
      try half?()
      throw die()
    case .killAfter(call):
      _ = try body()
      throw die()
    default: return try body()
    }
  }
}
