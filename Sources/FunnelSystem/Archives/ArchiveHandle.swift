import CArchive
import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A zip archive opened with libarchive, closed when its last reference is released. Not thread-safe.
///
/// Invariants of the memory, on which all calls of libarchive rely:
/// - The source outlives the archive, which refers to it by an address. Its current piece is not changed until libarchive asks
///   for the next one.
/// - `block` belongs to libarchive, and is emptied before any call that may release it.
final class ArchiveHandle {
  /// The reason why no header was read.
  enum HeaderFailure {
    /// There are no more entries.
    case end
    /// This entry can't be read. The next one may be readable.
    case failed
    /// No further entry can be read.
    case fatal
  }

  /// The result of reading a block of an entry.
  enum DataStatus {
    /// A block was read.
    case ok
    /// The entry is complete.
    case end
    /// The entry is complete, but its length or checksum doesn't match its headers.
    case mismatch
    /// The remainder of the entry can't be read. The next entry may be readable.
    case failed
    /// No further entry can be read.
    case fatal
  }

  private let archive: OpaquePointer
  private let source: ZipSource
  private var entry: OpaquePointer?
  /// The bytes of the last block that were not taken yet.
  private var block = UnsafeRawBufferPointer(start: nil, count: 0)
  /// libarchive's warning about the header of the current entry, or `nil` if the header is valid.
  private(set) var warning: String?

  /// Opens a zip archive.
  ///
  /// - Parameter usesDirectory: Whether entries are read in the order of the directory at the end of the zip. If not, they are
  ///   read in a stream from the front.
  /// - Returns: `nil` if the zip has no directory, or if it is read from the front and has no entry.
  init?(_ source: ZipSource, usesDirectory: Bool) {
    guard let archive = archive_read_new() else { fatalError("no memory for an archive") }
    self.archive = archive
    self.source = source
    if usesDirectory {
      archive_read_support_format_zip_seekable(archive)
    } else {
      archive_read_support_format_zip_streamable(archive)
    }
    attach(source)
    guard archive_read_open1(archive) == ARCHIVE_OK else { return nil }
  }

  deinit { archive_read_free(archive) }

  /// Registers the source as the input of the archive.
  private func attach(_ source: ZipSource) {
    source.rewind()
    archive_read_set_callback_data(archive, Unmanaged.passUnretained(source).toOpaque())
    archive_read_set_read_callback(archive) { archive, context, block in
      guard let archive, let context, let block else { return Int(ARCHIVE_FATAL) }
      let source = Unmanaged<ZipSource>.fromOpaque(context).takeUnretainedValue()
      let count = source.nextPiece { queue, count in
        block.pointee = queue.buffer.withPaddedPointer { start, _ in UnsafeRawPointer(start + queue.consumedCount) }
        return count
      }
      if count == nil { funnel_archive_fail(archive) }
      return count ?? Int(ARCHIVE_FATAL)
    }
    guard source.isSeekable else { return }
    archive_read_set_seek_callback(archive) { archive, context, offset, origin in
      guard let archive, let context else { return Int64(ARCHIVE_FATAL) }
      let position = Unmanaged<ZipSource>.fromOpaque(context).takeUnretainedValue().seek(to: Int(offset), from: origin)
      if position == nil { funnel_archive_fail(archive) }
      return Int64(position ?? Int(ARCHIVE_FATAL))
    }
  }

  /// libarchive's message about its last failure, in one line.
  var message: String {
    guard let text = archive_error_string(archive) else { return "no reason given" }
    return String(cString: text).split(separator: "\n").joined(separator: " ")
  }

  /// Reads the next header. Returns the reason if there is none, or `nil` on success.
  func readHeader() -> HeaderFailure? {
    // libarchive decodes names with the locale of the thread.
    let before = uselocale(Self.locale)
    defer { uselocale(before) }
    warning = nil
    dropBlock()
    switch archive_read_next_header(archive, &entry) {
    case ARCHIVE_OK: return nil
    case ARCHIVE_WARN:
      // A name that is not UTF-8 is not damage.
      if !message.hasPrefix("Pathname") { warning = message }
      return nil
    case ARCHIVE_EOF: return .end
    case ARCHIVE_FATAL: return .fatal
    default: return .failed
    }
  }

  private nonisolated(unsafe) static let locale = funnel_utf8_locale()

  // MARK: The current entry, whose header was read last

  /// Whether the entry is a regular file.
  var isRegularFile: Bool { mode_t(archive_entry_filetype(entry)) & S_IFMT == S_IFREG }

  /// The name, in which a replacement character stands for bytes that are not UTF-8, or `nil` if the entry has none.
  var name: String? { archive_entry_pathname(entry).map { String(cString: $0) } }

  /// Whether the contents are encrypted.
  var isEncrypted: Bool { archive_entry_is_data_encrypted(entry) == 1 }

  /// The name of an unsupported compression method, or `nil` if the method is supported.
  var unknownMethod: String? {
    // libarchive reports the method only in the name of the format, such as `ZIP 2.0 (deflation)`.
    let format = archive_format_name(archive).map { String(cString: $0) } ?? "unknown"
    let method = format.split(separator: "(").last?.split(separator: ")").first.map(String.init) ?? format
    // The placeholder for a method that libarchive has no name for.
    if method == "??" { return "unknown" }
    return ["uncompressed", "deflation"].contains(method) ? nil : method
  }

  /// Reads the next block of the entry. Returns the status, and the number of bytes to be taken with ``takeBlock(into:)``.
  func readBlock() -> (status: DataStatus, byteCount: Int) {
    var start: UnsafeRawPointer?
    var count = 0
    var offset: Int64 = 0
    dropBlock()
    let status: DataStatus =
      switch archive_read_data_block(archive, &start, &count, &offset) {
      case ARCHIVE_OK: .ok
      case ARCHIVE_EOF: .end
      case ARCHIVE_WARN: .mismatch
      case ARCHIVE_FATAL: .fatal
      default: .failed
      }
    block = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    return (status, block.count)
  }

  /// Whether all bytes of the block were taken.
  var isBlockEmpty: Bool { block.isEmpty }

  /// Moves the next bytes of the block to the output, as many as fit.
  func takeBlock(into output: inout OutputSpan<UInt8>) {
    let count = min(block.count, output.freeCapacity)
    output.append(copying: block.bindMemory(to: UInt8.self).span.extracting(first: count))
    block = UnsafeRawBufferPointer(rebasing: block.dropFirst(count))
  }

  /// Drops the remaining bytes of the block.
  func dropBlock() { block = UnsafeRawBufferPointer(start: nil, count: 0) }

  /// Skips the remainder of the entry. Returns the offset in the zip at which the entry ends.
  func skipData() -> Int {
    dropBlock()
    archive_read_data_skip(archive)
    return offset
  }

  /// The offset in the zip after the last byte that libarchive has decoded.
  var offset: Int { Int(archive_filter_bytes(archive, 0)) }
}
