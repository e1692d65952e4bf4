internal import FunnelModel
internal import FunnelSystem

/// A destination for the bytes of a sorted run: a new file, or memory.
protocol RunTarget: AnyObject {
  /// Appends bytes.
  func append(_ bytes: BorrowedBytes) throws(FunnelError)
}

/// A target that keeps a sorted run in memory.
final class MemoryTarget: RunTarget {
  private var bytes: UniqueBytes

  init(capacity: Int = 1 << 16) {
    bytes = UniqueBytes(capacity: capacity)
  }

  func append(_ more: BorrowedBytes) { bytes.append(more) }

  /// The bytes of a run, without further changes.
  final class Contents: Sendable {
    let bytes: UniqueBytes

    fileprivate init(_ bytes: consuming UniqueBytes) { self.bytes = bytes }
  }

  /// Returns the bytes and leaves the target empty.
  func take() -> Contents { Contents(bytes.take()) }
}

/// A target that writes a sorted run to a file, in pieces of bounded size.
final class FileTarget: RunTarget {
  private let file: File
  private let fileSystem: any FileSystem
  private var buffer = UniqueBytes(capacity: pieceBytes + pieceBytes / 4)
  /// The number of bytes written to the file.
  private var written = 0

  // Linux keeps bytes of one write in one unit of its page cache, up to megabytes, and maps the whole unit if a
  // program reads one byte of it. With pieces as large as a partition, a search would map the whole index.
  private static let pieceBytes = 128 << 10

  /// Creates a target that writes from the beginning of `file`. The caller must call ``flush()`` at the end.
  init(_ file: File, _ fileSystem: any FileSystem) {
    self.file = file
    self.fileSystem = fileSystem
  }

  func append(_ bytes: BorrowedBytes) throws(FunnelError) {
    if bytes.count >= Self.pieceBytes {
      try flush()
      try write(bytes)
    } else {
      buffer.append(bytes)
      if buffer.count >= Self.pieceBytes { try flush() }
    }
  }

  /// Writes the buffered bytes.
  func flush() throws(FunnelError) {
    try write(buffer.bytes)
    buffer.removeAll()
  }

  private func write(_ bytes: BorrowedBytes) throws(FunnelError) {
    var offset = 0
    while offset < bytes.count {
      let piece = bytes[offset..<min(offset + Self.pieceBytes, bytes.count)]
      try piece.withSpan { (bytes) throws(FunnelError) in try fileSystem.write(bytes, to: file, at: written) }
      written += piece.count
      offset += piece.count
    }
  }

  /// The number of bytes appended.
  var count: Int { written + buffer.count }
}
