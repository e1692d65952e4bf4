public import FunnelModel
public import FunnelSystem

/// A disk that counts the bytes read from each file.
public final class ReadCountingFileSystem: FrontFileSystem {
  public let disk = LocalFileSystem()
  private let counts = Guarded<[String: Int]>([:])

  public init() {}

  /// Returns the number of bytes read so far from files whose paths have a suffix.
  public func bytes(ofFilesEnding suffix: String) -> Int {
    counts.withLock { $0.reduce(0) { $0 + ($1.key.hasSuffix(suffix) ? $1.value : 0) } }
  }

  public func read(_ file: File, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    let count = try disk.read(file, into: buffer)
    counts.withLock { $0[file.path.description, default: 0] += count }
    return count
  }

  public func read(_ file: File, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    let count = try disk.read(file, at: offset, into: buffer)
    counts.withLock { $0[file.path.description, default: 0] += count }
    return count
  }
}
