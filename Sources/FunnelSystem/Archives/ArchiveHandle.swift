import CArchive
import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A zip archive opened with libarchive, closed when its last reference is released. Not thread-safe.
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
    source.attach(to: archive)
    guard archive_read_open1(archive) == ARCHIVE_OK else { return nil }
  }

  deinit { archive_read_free(archive) }

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

  /// Reads the next block of the entry. The bytes are valid until the next call of any method.
  func readData() -> (status: DataStatus, bytes: UnsafeRawBufferPointer) {
    var block: UnsafeRawPointer?
    var count = 0
    var offset: Int64 = 0
    let status: DataStatus =
      switch archive_read_data_block(archive, &block, &count, &offset) {
      case ARCHIVE_OK: .ok
      case ARCHIVE_EOF: .end
      case ARCHIVE_WARN: .mismatch
      case ARCHIVE_FATAL: .fatal
      default: .failed
      }
    return (status, UnsafeRawBufferPointer(start: block, count: block == nil ? 0 : count))
  }

  /// Skips the remainder of the entry. Returns the offset in the zip at which the entry ends.
  func skipData() -> Int {
    archive_read_data_skip(archive)
    return offset
  }

  /// The offset in the zip after the last byte that libarchive has decoded.
  var offset: Int { Int(archive_filter_bytes(archive, 0)) }
}
