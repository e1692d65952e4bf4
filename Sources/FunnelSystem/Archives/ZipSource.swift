import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Provides libarchive with the bytes of a zip: a seekable file, or a stream. Not thread-safe.
final class ZipSource {
  private enum Bytes {
    case file(File, any FileSystem)
    case stream(any ByteStream)
  }

  /// The number of bytes that are read from the file or the stream at once.
  private static let bufferBytes = 1 << 18
  /// The maximum number of bytes passed to libarchive at once. It drops the bytes inflated from the piece in which
  /// it finds damage, so pieces are small.
  private static let pieceBytesMax = 1 << 10
  /// The length of the record at the end of a zip, without the comment that follows it.
  private static let endRecordBytesMin = 22
  /// The maximum length of that record: the length of the comment has 16 bits.
  private static let endBytesMax = endRecordBytesMin + Int(UInt16.max)

  private let bytes: Bytes
  /// The bytes that were not passed to libarchive yet.
  private let unread = ByteQueue(capacity: bufferBytes)
  /// The offset of the next byte to be passed to libarchive.
  private(set) var position = 0
  /// The last bytes read, at most ``endBytesMax``.
  private var end: [UInt8] = []
  /// The error of reading the file or the stream, or `nil` if there was none.
  private(set) var error: FunnelError?
  /// The number of bytes that may still be read, or `nil` if there is no limit.
  var byteCountLeft: Int?
  /// Whether libarchive has read more than ``byteCountLeft``.
  private(set) var isOverLimit = false

  /// Creates a source that reads a regular file from its first byte.
  init(_ file: File, _ fileSystem: any FileSystem) { bytes = .file(file, fileSystem) }

  /// Creates a source of a stream.
  init(_ stream: any ByteStream) { bytes = .stream(stream) }

  /// Whether the source is a file.
  var isSeekable: Bool {
    if case .file = bytes { true } else { false }
  }

  /// Moves back to the first byte of a file, for a new archive.
  func rewind() {
    position = 0
    unread.consume(unread.count)
  }

  /// Reads the next bytes of the file or the stream, after all earlier ones were consumed. Reads none at the end.
  private func fill() throws(FunnelError) {
    precondition(unread.isEmpty, "the earlier bytes were consumed")
    try unread.refill(addingCapacity: Self.bufferBytes) { (output) throws(FunnelError) in
      switch bytes {
      case .file(let file, let fileSystem): try fileSystem.read(file, at: position, into: &output)
      case .stream(let stream): try stream.read(into: &output)
      }
    }
    guard case .stream = bytes else { return }
    let queue = unread
    end.append(copying: queue.unread.extracting(last: Self.endBytesMax))
    end.removeFirst(max(0, end.count - Self.endBytesMax))
  }

  /// Returns whether the zip ends in the record that locates its directory. Moves the position; a stream is read to its end.
  func hasEndRecord() throws(FunnelError) -> Bool {
    switch bytes {
    case .file(let file, let fileSystem):
      position = max(0, try fileSystem.size(of: file) - Self.endBytesMax)
      end = try fileSystem.read(file, at: position, count: Self.endBytesMax)
    case .stream:
      repeat {
        unread.consume(unread.count)
        try fill()
      } while !unread.isEmpty
    }
    return end.indices.dropLast(Self.endRecordBytesMin - 1).contains { end[$0...].starts(with: ZipArchive.endSignature) }
  }

  /// Consumes the next piece for libarchive. It stays in memory until the next call.
  ///
  /// - Parameter body: A closure that receives the bytes, of which the first `count` are the piece; 0 at the end.
  /// - Returns: The result of the closure, or `nil` if reading failed or ``byteCountLeft`` was exceeded.
  func nextPiece<Result>(_ body: (_ queue: ByteQueue, _ count: Int) -> Result) -> Result? {
    do throws(FunnelError) {
      if unread.isEmpty { try fill() }
      let count = min(unread.count, Self.pieceBytesMax)
      if let left = byteCountLeft {
        byteCountLeft = left - count
        isOverLimit = left < count
      }
      guard !isOverLimit else { return nil }
      let result = body(unread, count)
      unread.consume(count)
      position += count
      return result
    } catch {
      self.error = error
      return nil
    }
  }

  /// Moves the position of a file to an offset from an origin of `lseek`. Returns the new position, or `nil` on failure.
  func seek(to offset: Int, from origin: Int32) -> Int? {
    guard case .file(let file, let fileSystem) = bytes else { return nil }
    do throws(FunnelError) {
      let base: Int
      switch origin {
      case SEEK_SET: base = 0
      case SEEK_CUR: base = position
      default: base = try fileSystem.size(of: file)
      }
      let (target, isOverflow) = base.addingReportingOverflow(offset)
      guard !isOverflow, target >= 0 else { return nil }
      position = target
      unread.consume(unread.count)
      return target
    } catch {
      self.error = error
      return nil
    }
  }
}
