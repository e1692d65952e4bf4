package import FunnelModel
package import FunnelSystem

/// A file system on the real disk that counts the calls that change the disk, and makes one of them fail on demand.
///
/// It also records unflushed changes, so that a test can simulate a power failure and check that everything reported as durable
/// survives. A flush is only recorded, which makes tests many times faster.
package final class FaultyFileSystem: FileSystem {
  /// The fault to simulate at one of the counted calls, which are numbered from 1.
  package enum Fault: Hashable, Sendable {
    /// No fault; calls are only counted.
    case none
    /// The call fails; later calls succeed.
    case failure(atCall: Int)
    /// The call and all later ones fail, as on a disk that is full or read-only.
    case failures(fromCall: Int)
    /// A write does half of its work and fails; any other call fails without effect.
    case halfDone(atCall: Int)
    /// The process is killed before the call, after it, or during it, and all later calls fail. During a call, a write does
    /// half of its work; any other call does nothing.
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

  package init(_ fault: Fault = .none) {
    self.fault = fault
  }

  /// The number of calls so far that change the disk, or open a file that they may create.
  package var calls: Int { state.withLock { $0.calls } }

  /// Simulates a power failure: cuts files to the lengths at their last flush, and removes files and folders that were created
  /// after the last flush of their folder.
  package func losePower() throws {
    try state.withLock { $0.unsynced }.undo()
  }

  package func open(_ path: StoragePath, for access: FileAccess) throws(FunnelError) -> File {
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

  package func status(of path: StoragePath) throws(FunnelError) -> FileStatus? {
    try live()
    return try disk.status(of: path)
  }

  package func size(of file: File) throws(FunnelError) -> Int {
    try live()
    return try disk.size(of: file)
  }

  package func list(_ path: StoragePath) throws(FunnelError) -> [String] {
    try live()
    return try disk.list(path)
  }

  package func read(_ file: File, into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    try live()
    try disk.read(file, into: &output)
  }

  package func read(_ file: File, at offset: Int, into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    try live()
    try disk.read(file, at: offset, into: &output)
  }

  package func write(_ bytes: Span<UInt8>, to file: File, at offset: Int) throws(FunnelError) {
    let size = try disk.size(of: file)
    state.withLock { $0.unsynced.wrote(file.path, lengthBefore: size) }
    let copy = [UInt8](copying: bytes)
    let half = { () throws(FunnelError) in
      try self.disk.write(Array(copy[..<(copy.count / 2)]), to: file, at: offset)
    }
    try change(half: half) { () throws(FunnelError) in try disk.write(copy, to: file, at: offset) }
  }

  package func truncate(_ file: File, to length: Int) throws(FunnelError) {
    try change { () throws(FunnelError) in
      try disk.truncate(file, to: length)
      state.withLock { $0.unsynced.truncated(file.path, to: length) }
    }
  }

  package func sync(_ file: File) throws(FunnelError) {
    try change { () throws(FunnelError) in
      state.withLock { $0.unsynced.synced(file.path) }
    }
  }

  package func syncDirectory(_ path: StoragePath) throws(FunnelError) {
    try change { () throws(FunnelError) in
      guard try disk.status(of: path)?.kind == .directory else { throw Self.noFolder }
      state.withLock { $0.unsynced.syncedFolder(path) }
    }
  }

  package func rename(_ path: StoragePath, to target: StoragePath) throws(FunnelError) {
    try change { () throws(FunnelError) in try disk.rename(path, to: target) }
  }

  package func remove(_ path: StoragePath) throws(FunnelError) {
    try change { () throws(FunnelError) in
      try disk.remove(path)
      state.withLock { $0.unsynced.removed(path) }
    }
  }

  package func createDirectory(_ path: StoragePath) throws(FunnelError) {
    try change { () throws(FunnelError) in
      try disk.createDirectory(path)
      state.withLock { $0.unsynced.made(path) }
    }
  }

  package func removeDirectory(_ path: StoragePath) throws(FunnelError) {
    try change { () throws(FunnelError) in
      try disk.removeDirectory(path)
      state.withLock { $0.unsynced.removed(path) }
    }
  }

  package func tryLock(_ file: File) throws(FunnelError) -> Bool {
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

  /// Counts a call and carries it out, unless it is one that fails.
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
