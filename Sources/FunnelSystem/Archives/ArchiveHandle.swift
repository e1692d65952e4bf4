import CArchive
import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A zip as libarchive has it open, closed when its last reference is released.
final class ArchiveHandle {
  /// Why there is no next header.
  enum HeaderFailure {
    /// There are no more entries.
    case end
    /// The entry can't be read, but perhaps the next one.
    case failed
    /// Nothing more can be read.
    case fatal
  }

  /// The outcome of reading a part of an entry.
  enum DataStatus {
    case ok, end
    /// The entry has been read to its end, but is not what the zip says of it.
    case mismatch
    /// The entry can't be read any further, but perhaps the next one.
    case failed
    /// Nothing more can be read.
    case fatal
  }

  private let archive: OpaquePointer
  private let source: ZipSource
  private var entry: OpaquePointer?
  /// What libarchive finds wrong with the header of the entry, though it can read on; nil if nothing is.
  private(set) var warning: String?

  /// Opens the zip. Returns nil if it has no directory, or, read from the front, no entry.
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

  /// What libarchive says of its last failure.
  var message: String {
    guard let text = archive_error_string(archive) else { return "no reason given" }
    return String(cString: text).split(separator: "\n").joined(separator: " ")
  }

  /// Reads the next header. Returns nil if there is one.
  func readHeader() -> HeaderFailure? {
    let before = uselocale(Self.locale)
    defer { uselocale(before) }
    warning = nil
    switch archive_read_next_header(archive, &entry) {
    case ARCHIVE_OK: return nil
    case ARCHIVE_WARN:
      // A name that is no UTF-8 is no damage.
      if !message.hasPrefix("Pathname") { warning = message }
      return nil
    case ARCHIVE_EOF: return .end
    case ARCHIVE_FATAL: return .fatal
    default: return .failed
    }
  }

  private nonisolated(unsafe) static let locale = funnel_utf8_locale()

  // MARK: The entry whose header was read

  var isRegularFile: Bool { mode_t(archive_entry_filetype(entry)) & S_IFMT == S_IFREG }

  /// The name, with a replacement character for what is no UTF-8; nil if there is none.
  var name: String? { archive_entry_pathname(entry).map { String(cString: $0) } }

  var isEncrypted: Bool { archive_entry_is_data_encrypted(entry) == 1 }

  /// The name of the compression method, or nil if it is one that is read. libarchive tells it only as a part of the format's name, such as
  /// `ZIP 2.0 (deflation)`.
  var unknownMethod: String? {
    let format = archive_format_name(archive).map { String(cString: $0) } ?? "unknown"
    let method = format.split(separator: "(").last?.split(separator: ")").first.map(String.init) ?? format
    // libarchive has no name for it.
    if method == "??" { return "unknown" }
    return ["uncompressed", "deflation"].contains(method) ? nil : method
  }

  /// Reads the next bytes of the entry, which are valid until the next call of any method.
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

  /// Skips what is left of the entry and returns the offset at which it ends.
  func skipData() -> Int {
    archive_read_data_skip(archive)
    return offset
  }

  /// The offset in the zip up to which it has been unpacked.
  var offset: Int { Int(archive_filter_bytes(archive, 0)) }
}
