package import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file mapped into memory for reading. Its pages are read from the disk when they are first accessed.
///
/// Map only files that are replaced by renaming and never written in place: access to a page that was truncated
/// crashes the process.
///
/// Invariants of the memory, on which all accesses rely:
/// - `memory` is one read-only mapping, or empty. It is unmapped only in `deinit`, so spans that borrow the object are valid.
/// - Its length is that of the file when it was opened. The file is not shortened afterwards.
package final class MappedFile: @unchecked Sendable {
  // Reading changes nothing on the disk, so the mapping does not go through `FileSystem`.

  /// The bytes of the file, valid as long as this object lives.
  package let memory: UnsafeRawBufferPointer

  /// Maps a whole file. Follows no link below the base of the path.
  ///
  /// - Returns: The mapping, or `nil` if there is no regular file at the path.
  /// - Throws: `noInput` or `inputOutput` if the file can't be opened or mapped.
  package static func open(_ path: StoragePath) throws(FunnelError) -> MappedFile? {
    let disk = LocalFileSystem()
    // Opening a FIFO would wait for its writer.
    guard let status = try disk.status(of: path), status.kind == .file else { return nil }
    let file = try disk.open(path, for: .read)
    let size = try disk.size(of: file)
    guard size > 0 else { return MappedFile(nil, byteCount: 0) }
    guard let address = mmap(nil, size, PROT_READ, MAP_PRIVATE, file.descriptor, 0), address != MAP_FAILED else {
      throw SystemFailure.error(.read, path, errno)
    }
    return MappedFile(address, byteCount: size)
  }

  private init(_ address: UnsafeMutableRawPointer?, byteCount: Int) {
    precondition(byteCount >= 0 && (byteCount == 0) == (address == nil), "only an empty file has no mapping")
    memory = UnsafeRawBufferPointer(start: address, count: byteCount)
  }

  deinit {
    if !memory.isEmpty { munmap(UnsafeMutableRawPointer(mutating: memory.baseAddress), memory.count) }
  }

  /// Releases the memory of the pages read so far (`MADV_DONTNEED`). A later access reads them again, usually from
  /// the page cache.
  package func releasePages() {
    if !memory.isEmpty { madvise(UnsafeMutableRawPointer(mutating: memory.baseAddress), memory.count, MADV_DONTNEED) }
  }

  /// The bytes of the file.
  package var bytes: RawSpan {
    @_lifetime(borrow self)
    get { _overrideLifetime(memory.bytes, borrowing: self) }
  }

  /// The bytes of the file, for access by index.
  package var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { _overrideLifetime(memory.bindMemory(to: UInt8.self).span, borrowing: self) }
  }
}
