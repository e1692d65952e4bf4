public import FunnelModel
public import FunnelSystem

/// A file system that forwards the calls it does not implement itself to another one.
public protocol FrontFileSystem: FileSystem {
  associatedtype Disk: FileSystem
  var disk: Disk { get }
}

extension FrontFileSystem {
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
  public func write(_ bytes: UnsafeRawBufferPointer, to file: File, at offset: Int) throws(FunnelError) {
    try disk.write(bytes, to: file, at: offset)
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
