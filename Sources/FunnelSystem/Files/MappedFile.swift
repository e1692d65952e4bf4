public import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file's contents in memory, read-only; its pages are read from the disk when they are touched.
///
/// Reading a file changes nothing, so this does not go through ``FileSystem``; like ``LocalFileSystem`` it follows no link below the base of
/// the path. The bytes stay the same as long as nobody writes to the file in place: only map what is replaced by renaming, as cutting
/// a mapped file ends the process that reads it.
public final class MappedFile: Sendable {
  private let start: UInt
  private let count: Int

  /// Maps a whole file.
  ///
  /// - Returns: nil where nothing stands at the path, or something that is no regular file.
  /// - Throws: `noInput` or `inputOutput` where it can't be opened or mapped.
  public static func open(_ path: StoragePath) throws(FunnelError) -> MappedFile? {
    let disk = LocalFileSystem()
    // A FIFO would make opening wait for its writer.
    guard let status = try disk.status(of: path), status.kind == .file else { return nil }
    let file = try disk.open(path, for: .read)
    let size = try disk.size(of: file)
    guard size > 0 else { return MappedFile(start: 0, count: 0) }
    guard let address = mmap(nil, size, PROT_READ, MAP_PRIVATE, file.descriptor, 0), address != MAP_FAILED else {
      throw SystemFailure.error(.read, path, errno)
    }
    return MappedFile(start: UInt(bitPattern: address), count: size)
  }

  private init(start: UInt, count: Int) {
    self.start = start
    self.count = count
  }

  deinit {
    if count > 0 { munmap(UnsafeMutableRawPointer(bitPattern: start), count) }
  }

  /// Lets go of the memory the bytes that were touched lie in; who touches them again gets them from the disk, or its cache, again.
  public func releasePages() {
    if count > 0 { madvise(UnsafeMutableRawPointer(bitPattern: start), count, MADV_DONTNEED) }
  }

  /// The bytes, valid as long as this object lives.
  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start), count: count)
  }
}
