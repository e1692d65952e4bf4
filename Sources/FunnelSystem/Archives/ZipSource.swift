import CArchive
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
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferBytes, alignment: 16)
  /// The range of the buffer that was not passed to libarchive yet.
  private var unread = 0..<0
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

  deinit { buffer.deallocate() }

  /// Whether the source is a file.
  var isSeekable: Bool {
    if case .file = bytes { true } else { false }
  }

  /// Registers this source as the input of a new archive. The source must outlive the archive.
  func attach(to archive: OpaquePointer) {
    position = 0
    unread = 0..<0
    archive_read_set_callback_data(archive, Unmanaged.passUnretained(self).toOpaque())
    archive_read_set_read_callback(archive) { archive, context, block in
      Unmanaged<ZipSource>.fromOpaque(context!).takeUnretainedValue().read(for: archive!, block!)
    }
    guard isSeekable else { return }
    archive_read_set_seek_callback(archive) { archive, context, offset, origin in
      Unmanaged<ZipSource>.fromOpaque(context!).takeUnretainedValue().seek(for: archive!, Int(offset), origin)
    }
  }

  /// Fills the buffer from the current position of the file or the stream. Returns the number of bytes read, 0 at the end.
  private func fillBuffer() throws(FunnelError) -> Int {
    let count: Int
    switch bytes {
    case .file(let file, let fileSystem): count = try fileSystem.read(file, at: position, into: buffer)
    case .stream(let stream):
      count = try stream.read(into: buffer)
      end = Array((end + buffer.prefix(count).suffix(Self.endBytesMax)).suffix(Self.endBytesMax))
    }
    return count
  }

  /// Returns whether the zip ends in the record that locates its directory. Moves the position; a stream is read to its end.
  func hasEndRecord() throws(FunnelError) -> Bool {
    switch bytes {
    case .file(let file, let fileSystem):
      position = max(0, try fileSystem.size(of: file) - Self.endBytesMax)
      let count = try fileSystem.read(
        file, at: position, into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Self.endBytesMax)))
      end = Array(buffer.prefix(count))
    case .stream: while try fillBuffer() > 0 {}
    }
    return end.indices.dropLast(Self.endRecordBytesMin - 1).contains { end[$0...].starts(with: ZipArchive.endSignature) }
  }

  /// libarchive's read callback: stores the address of the next piece, and returns its length.
  private func read(for archive: OpaquePointer, _ block: UnsafeMutablePointer<UnsafeRawPointer?>) -> Int {
    do throws(FunnelError) {
      if unread.isEmpty { unread = 0..<(try fillBuffer()) }
      let piece = unread.prefix(Self.pieceBytesMax)
      unread = unread.dropFirst(piece.count)
      block.pointee = UnsafeRawPointer(buffer.baseAddress! + piece.lowerBound)
      let count = piece.count
      if let left = byteCountLeft {
        byteCountLeft = left - count
        isOverLimit = left < count
      }
      guard !isOverLimit else { return fail(archive) }
      position += count
      return count
    } catch {
      self.error = error
      return fail(archive)
    }
  }

  /// libarchive's seek callback: moves the position, and returns it.
  private func seek(for archive: OpaquePointer, _ offset: Int, _ origin: Int32) -> Int64 {
    guard case .file(let file, let fileSystem) = bytes else { return Int64(fail(archive)) }
    do throws(FunnelError) {
      let base: Int
      switch origin {
      case SEEK_SET: base = 0
      case SEEK_CUR: base = position
      default: base = try fileSystem.size(of: file)
      }
      let target = base.addingReportingOverflow(offset)
      guard !target.overflow, target.partialValue >= 0 else { return Int64(fail(archive)) }
      position = target.partialValue
      unread = 0..<0
      return Int64(position)
    } catch {
      self.error = error
      return Int64(fail(archive))
    }
  }

  /// Marks the archive as failed, and returns the result of a callback that failed.
  private func fail(_ archive: OpaquePointer) -> Int {
    funnel_archive_fail(archive)
    return Int(ARCHIVE_FATAL)
  }
}
