public import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file mapped into memory for reading. Its pages are read from the disk when they are first accessed.
///
/// Map only files that are replaced by renaming and never written in place: access to a page that was truncated
/// crashes the process.
public final class MappedFile: Sendable {
  // Reading changes nothing on the disk, so the mapping does not go through `FileSystem`.

  /// The address of the first byte, or 0 if the file is empty.
  private let start: UInt
  private let count: Int

  /// Maps a whole file. Follows no link below the base of the path.
  ///
  /// - Returns: The mapping, or `nil` if there is no regular file at the path.
  /// - Throws: `noInput` or `inputOutput` if the file can't be opened or mapped.
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

  /// Releases the memory of the pages read so far (`MADV_DONTNEED`). A later access reads them again, usually from
  /// the page cache.
  public func releasePages() {
    if count > 0 { madvise(UnsafeMutableRawPointer(bitPattern: start), count, MADV_DONTNEED) }
  }

  /// The bytes of the file, valid as long as this object lives.
  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start), count: count)
  }
}
