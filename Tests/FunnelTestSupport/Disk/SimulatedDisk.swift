package import FunnelModel
package import FunnelSystem

/// A file system on a folder of the real disk that records the disk's state after each change, and fails on demand.
///
/// The ``DiskModel`` of a moment gives all that a killed process or a power failure at that moment could leave behind, so
/// executing a command once is enough to test every interruption. Nothing is really flushed, which makes tests many times
/// faster.
package final class SimulatedDisk: FileSystem {
  /// The state of the disk between two calls that change it.
  package struct Moment: Sendable {
    package var disk: DiskModel
    /// The number of commits that were reported as made.
    package var acknowledged: Int
    /// The last call before this moment.
    package var call: String
  }

  /// The call that fails, by its number among all calls, counted from 1.
  package struct Failure: Hashable, Sendable {
    package var call: Int
    /// Whether a write does half of its work before it fails.
    package var isPartial: Bool
    /// Whether all later calls that need space on the disk fail too.
    package var isLasting: Bool

    package init(call: Int, isPartial: Bool = false, isLasting: Bool = false) {
      (self.call, self.isPartial, self.isLasting) = (call, isPartial, isLasting)
    }
  }

  /// A call that was made.
  package struct Call: Hashable, Sendable, CustomStringConvertible {
    package var name: String
    package var path: String
    package var description: String { "\(name) \(path)" }
  }

  private struct State: Sendable {
    var disk: DiskModel
    var inodes: [Int32: DiskModel.Inode] = [:]
    var moments: [Moment] = []
    var calls: [Call] = []
    var acknowledged = 0
    var hasFailed = false
  }

  private let local = LocalFileSystem()
  private let failure: Failure?
  private let forgetsFlush: @Sendable (Call) -> Bool
  private let state: Guarded<State>

  /// Creates a file system on the folder of a model.
  ///
  /// - Parameters:
  ///   - disk: The model of the folder, which must have the contents that the model shows.
  ///   - failure: The call that fails, or nil if none does.
  ///   - forgetsFlush: Returns whether a flush does nothing although it reports success, to test that a missing flush is
  ///     noticed.
  package init(
    _ disk: DiskModel, failure: Failure? = nil, forgetsFlush: @escaping @Sendable (Call) -> Bool = { _ in false }
  ) {
    self.failure = failure
    self.forgetsFlush = forgetsFlush
    var state = State(disk: disk)
    state.moments.append(Moment(disk: disk, acknowledged: 0, call: "the beginning"))
    self.state = Guarded(state)
  }

  /// All moments so far, including the one before the first call.
  package var moments: [Moment] { state.withLock { $0.moments } }
  /// All calls so far.
  package var calls: [Call] { state.withLock { $0.calls } }

  /// Records the number of commits that were reported as made.
  package func acknowledge(_ commits: Int) {
    state.withLock { state in
      state.acknowledged = commits
      state.moments.append(Moment(disk: state.disk, acknowledged: commits, call: "the report of commit \(commits)"))
    }
  }

  package func open(_ path: StoragePath, for access: FileAccess) throws(FunnelError) -> File {
    let file: File
    switch access {
    case .read, .update, .stream:
      try call("open", path)
      file = try local.open(path, for: access)
    case .updateOrCreate, .create:
      let isNew = try local.status(of: path) == nil
      try call("create", path, takesRoom: isNew)
      file = try local.open(path, for: access)
      if isNew { change("create \(path)") { $0.disk.make(.file(.init()), at: path) } }
    }
    state.withLock { $0.inodes[file.descriptor] = $0.disk.inode(at: path) }
    return file
  }

  package func status(of path: StoragePath) throws(FunnelError) -> FileStatus? {
    try call("status", path)
    return try local.status(of: path)
  }

  package func size(of file: File) throws(FunnelError) -> Int {
    try call("size", file.path)
    return try local.size(of: file)
  }

  package func list(_ path: StoragePath) throws(FunnelError) -> [String] {
    try call("list", path)
    return try local.list(path)
  }

  package func read(_ file: File, into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    try call("read", file.path)
    try local.read(file, into: &output)
  }

  package func read(_ file: File, at offset: Int, into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    try call("read", file.path)
    try local.read(file, at: offset, into: &output)
  }

  package func write(_ bytes: Span<UInt8>, to file: File, at offset: Int) throws(FunnelError) {
    do throws(FunnelError) {
      try call("write", file.path, takesRoom: true)
    } catch {
      if failure?.isPartial == true {
        try write(part: bytes.extracting(first: bytes.count / 2), to: file, at: offset)
      }
      throw error
    }
    try write(part: bytes, to: file, at: offset)
  }

  private func write(part bytes: Span<UInt8>, to file: File, at offset: Int) throws(FunnelError) {
    try local.write(bytes, to: file, at: offset)
    change(file, "write", .write(offset: offset, bytes: [UInt8](copying: bytes)))
  }

  package func truncate(_ file: File, to length: Int) throws(FunnelError) {
    try call("truncate", file.path)
    try local.truncate(file, to: length)
    change(file, "truncate", .length(length))
  }

  package func sync(_ file: File) throws(FunnelError) {
    try call("sync", file.path)
    guard !forgetsFlush(Call(name: "sync", path: file.path.description)) else { return }
    change("sync \(file.path)") { state in
      if let inode = state.inodes[file.descriptor] { state.disk.flush(inode) }
    }
  }

  package func syncDirectory(_ path: StoragePath) throws(FunnelError) {
    try call("syncDirectory", path)
    guard try local.status(of: path)?.kind == .directory else {
      throw FunnelError(.inputOutput, "flushed a folder that is none, \(path)")
    }
    guard !forgetsFlush(Call(name: "syncDirectory", path: path.description)) else { return }
    change("syncDirectory \(path)") { state in
      if let inode = state.disk.inode(at: path) { state.disk.flush(inode) }
    }
  }

  package func rename(_ path: StoragePath, to target: StoragePath) throws(FunnelError) {
    try call("rename", target)
    try local.rename(path, to: target)
    change("rename \(target)") { $0.disk.rename(path, to: target) }
  }

  package func remove(_ path: StoragePath) throws(FunnelError) {
    try call("remove", path)
    try local.remove(path)
    change("remove \(path)") { $0.disk.remove(path) }
  }

  package func createDirectory(_ path: StoragePath) throws(FunnelError) {
    try call("createDirectory", path, takesRoom: true)
    try local.createDirectory(path)
    change("createDirectory \(path)") { $0.disk.make(.folder(.init()), at: path) }
  }

  package func removeDirectory(_ path: StoragePath) throws(FunnelError) {
    try call("removeDirectory", path)
    try local.removeDirectory(path)
    change("removeDirectory \(path)") { $0.disk.remove(path) }
  }

  package func tryLock(_ file: File) throws(FunnelError) -> Bool {
    try call("lock", file.path)
    return try local.tryLock(file)
  }

  /// Records a call, and throws if it is one that is to fail.
  private func call(_ name: String, _ path: StoragePath, takesRoom: Bool = false) throws(FunnelError) {
    let fails = state.withLock { state in
      state.calls.append(Call(name: name, path: path.description))
      guard let failure else { return false }
      if state.calls.count == failure.call { state.hasFailed = true }
      return state.calls.count == failure.call || (failure.isLasting && state.hasFailed && takesRoom)
    }
    if fails { throw FunnelError(.inputOutput, "\(name) \(path) was made to fail") }
  }

  private func change(_ file: File, _ name: String, _ change: DiskModel.File.Change) {
    self.change("\(name) \(file.path)") { state in
      if let inode = state.inodes[file.descriptor] { state.disk.change(inode, change) }
    }
  }

  /// Changes the model and records the moment.
  private func change(_ call: String, _ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      state.moments.append(Moment(disk: state.disk, acknowledged: state.acknowledged, call: call))
    }
  }
}
