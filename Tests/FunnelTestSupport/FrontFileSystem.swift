package import FunnelModel
package import FunnelSystem

/// A file system that forwards the calls it does not implement itself to another one.
package protocol FrontFileSystem: FileSystem {
  associatedtype Disk: FileSystem
  var disk: Disk { get }
}

extension FrontFileSystem {
  package func open(_ path: StoragePath, for access: FileAccess) throws(FunnelError) -> File {
    try disk.open(path, for: access)
  }
  package func status(of path: StoragePath) throws(FunnelError) -> FileStatus? { try disk.status(of: path) }
  package func size(of file: File) throws(FunnelError) -> Int { try disk.size(of: file) }
  package func list(_ path: StoragePath) throws(FunnelError) -> [String] { try disk.list(path) }
  package func read(_ file: File, into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    try disk.read(file, into: &output)
  }
  package func read(_ file: File, at offset: Int, into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    try disk.read(file, at: offset, into: &output)
  }
  package func write(_ bytes: Span<UInt8>, to file: File, at offset: Int) throws(FunnelError) {
    try disk.write(bytes, to: file, at: offset)
  }
  package func truncate(_ file: File, to length: Int) throws(FunnelError) { try disk.truncate(file, to: length) }
  package func sync(_ file: File) throws(FunnelError) { try disk.sync(file) }
  package func syncDirectory(_ path: StoragePath) throws(FunnelError) { try disk.syncDirectory(path) }
  package func rename(_ path: StoragePath, to target: StoragePath) throws(FunnelError) { try disk.rename(path, to: target) }
  package func remove(_ path: StoragePath) throws(FunnelError) { try disk.remove(path) }
  package func createDirectory(_ path: StoragePath) throws(FunnelError) { try disk.createDirectory(path) }
  package func removeDirectory(_ path: StoragePath) throws(FunnelError) { try disk.removeDirectory(path) }
  package func tryLock(_ file: File) throws(FunnelError) -> Bool { try disk.tryLock(file) }
}
