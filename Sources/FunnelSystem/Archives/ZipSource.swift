import CArchive
import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Feeds libarchive with the bytes of a zip: a file in which it may seek, or a stream.
final class ZipSource {
  private enum Bytes {
    case file(File, any FileSystem)
    case stream(any ByteStream)
  }

  private let bytes: Bytes
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
  /// The bytes of the buffer that libarchive does not have yet.
  private var unread = 0..<0
  /// libarchive drops what it inflated from the piece in which it finds damage, so pieces are small.
  private static let pieceBytesMax = 1 << 10
  /// The offset at which libarchive reads on.
  private(set) var position = 0
  /// The last bytes that were read of a stream.
  private var end: [UInt8] = []
  /// The record at the end of a zip has 22 bytes and a comment of up to 65,535.
  private static let endRecordBytesMin = 22
  private static let endBytesMax = endRecordBytesMin + 65_535
  /// The error that ended the reading, if libarchive did not find it itself.
  private(set) var error: FunnelError?
  /// How many more bytes may be read, or nil without a limit.
  var byteCountLeft: Int?
  /// Whether more bytes were asked for than that.
  private(set) var isOverLimit = false

  /// Creates a source of a regular file, whose current offset is not used.
  init(_ file: File, _ fileSystem: any FileSystem) { bytes = .file(file, fileSystem) }

  /// Creates a source of a stream.
  init(_ stream: any ByteStream) { bytes = .stream(stream) }

  deinit { buffer.deallocate() }

  var isSeekable: Bool {
    if case .file = bytes { true } else { false }
  }

  /// Sets an archive up to read from this source, which must live as long.
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

  /// Reads the next bytes of the file or the stream into the buffer and returns their number.
  private func readOn() throws(FunnelError) -> Int {
    let count: Int
    switch bytes {
    case .file(let file, let fileSystem): count = try fileSystem.read(file, at: position, into: buffer)
    case .stream(let stream):
      count = try stream.read(into: buffer)
      end = Array((end + buffer.prefix(count).suffix(Self.endBytesMax)).suffix(Self.endBytesMax))
    }
    return count
  }

  /// Returns whether the zip ends as a zip does, with the record that says where its directory is. A stream is read to its end.
  func hasEndRecord() throws(FunnelError) -> Bool {
    switch bytes {
    case .file(let file, let fileSystem):
      position = max(0, try fileSystem.size(of: file) - Self.endBytesMax)
      let count = try fileSystem.read(
        file, at: position, into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Self.endBytesMax)))
      end = Array(buffer.prefix(count))
    case .stream: while try readOn() > 0 {}
    }
    return end.indices.dropLast(Self.endRecordBytesMin - 1).contains { end[$0...].starts(with: ZipArchive.endSignature) }
  }

  private func read(for archive: OpaquePointer, _ block: UnsafeMutablePointer<UnsafeRawPointer?>) -> Int {
    do throws(FunnelError) {
      if unread.isEmpty { unread = 0..<(try readOn()) }
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

  private func seek(for archive: OpaquePointer, _ offset: Int, _ origin: Int32) -> Int64 {
    guard case .file(let file, let fileSystem) = bytes else { return Int64(fail(archive)) }
    do throws(FunnelError) {
      let base = origin == SEEK_SET ? 0 : origin == SEEK_CUR ? position : try fileSystem.size(of: file)
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

  private func fail(_ archive: OpaquePointer) -> Int {
    funnel_archive_fail(archive)
    return Int(ARCHIVE_FATAL)
  }
}
