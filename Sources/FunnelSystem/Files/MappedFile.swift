public import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file mapped into memory, read-only. Its pages are read from the disk when they are first accessed.
///
/// Reading changes nothing on the disk, so this does not go through ``FileSystem``. Like ``LocalFileSystem`` it follows no link below the
/// base of the path. The bytes stay the same as long as nobody writes to the file in place: map only files that are replaced by renaming,
/// because truncating a mapped file crashes the process that reads it.
public final class MappedFile: Sendable {
  private let start: UInt
  private let count: Int

  /// Maps a whole file.
  ///
  /// - Returns: nil if there is nothing at the path, or something that is not a regular file.
  /// - Throws: `noInput` or `inputOutput` if it can't be opened or mapped.
  public static func open(_ path: StoragePath) throws(FunnelError) -> MappedFile? {
    let disk = LocalFileSystem()
    // Opening a FIFO would wait for its writer.
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

  /// Releases the memory of the pages read so far. A later access reads them again from the disk, or from the page cache.
  public func releasePages() {
    if count > 0 { madvise(UnsafeMutableRawPointer(bitPattern: start), count, MADV_DONTNEED) }
  }

  /// The bytes, valid as long as this object lives.
  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start), count: count)
  }
}
