public import FunnelModel
public import FunnelStorage

/// A disk that changes a byte of one write to a part, and says nothing.
public final class LyingFileSystem: FileSystem {
  /// Where in a gzip member the byte is.
  public enum Place: Sendable {
    /// In the deflate stream or the checksum.
    case stream
    /// In the header's largest timestamp, which no checksum covers.
    case header
  }

  private let disk = FaultyFileSystem()
  private let changedWrite: Int
  private let place: Place
  private let counter = Guarded(0)

  /// - Parameter number: the write, from 1; each is of one gzip member.
  public init(changingWrite number: Int, in place: Place = .stream) {
    (changedWrite, self.place) = (number, place)
  }

  /// Writes to parts so far.
  public var writes: Int { counter.withLock { $0 } }

  public var hasLied: Bool { writes >= changedWrite }

  public func write(_ bytes: UnsafeRawBufferPointer, to file: File, at offset: Int) throws(FunnelError) {
    var copy = Array(bytes)
    if file.path.description.hasSuffix(".gz") {
      let number = counter.withLock { count in
        count += 1
        return count
      }
      if number == changedWrite { copy[place == .stream ? copy.count - 12 : 40] ^= 4 }
    }
    try disk.write(copy, to: file, at: offset)
  }

  public func open(_ path: StoragePath, for access: FileAccess) throws(FunnelError) -> File { try disk.open(path, for: access) }
  public func status(of path: StoragePath) throws(FunnelError) -> FileStatus? { try disk.status(of: path) }
  public func size(of file: File) throws(FunnelError) -> Int { try disk.size(of: file) }
  public func list(_ path: StoragePath) throws(FunnelError) -> [String] { try disk.list(path) }
  public func read(_ file: File, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    try disk.read(file, into: buffer)
  }
  public func read(_ file: File, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    try disk.read(file, at: offset, into: buffer)
  }
  public func truncate(_ file: File, to length: Int) throws(FunnelError) { try disk.truncate(file, to: length) }
  public func sync(_ file: File) throws(FunnelError) { try disk.sync(file) }
  public func syncDirectory(_ path: StoragePath) throws(FunnelError) { try disk.syncDirectory(path) }
  public func rename(_ path: StoragePath, to target: StoragePath) throws(FunnelError) { try disk.rename(path, to: target) }
  public func remove(_ path: StoragePath) throws(FunnelError) { try disk.remove(path) }
  public func createDirectory(_ path: StoragePath) throws(FunnelError) { try disk.createDirectory(path) }
  public func removeDirectory(_ path: StoragePath) throws(FunnelError) { try disk.removeDirectory(path) }
  public func tryLock(_ file: File) throws(FunnelError) -> Bool { try disk.tryLock(file) }
}
