import CEventsZlib

/// Compresses and decompresses gzip files of one member (RFC 1952).
///
/// The compressor is the system's zlib, which is part of every SDK, so an app does not grow by it.
enum GzipFile {
  /// zlib's number for its largest window, 2¹⁵ bytes, plus 16 to select the gzip format.
  private static let gzipWindowBits: Int32 = 15 + 16
  /// zlib's default trade-off between speed and size.
  private static let level: Int32 = 6
  /// zlib's default amount of memory for compression.
  private static let memoryLevel: Int32 = 8
  /// The size of the pieces in which a file is decompressed.
  private static let chunkBytes = 1 << 16

  /// Returns bytes as a gzip file.
  static func compress(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    let result = deflateInit2_(
      &stream, level, Z_DEFLATED, gzipWindowBits, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(result == Z_OK, "zlib can allocate its state")
    defer { deflateEnd(&stream) }
    let bound = Int(deflateBound(&stream, UInt(bytes.count)))
    var input = bytes
    return Array(unsafeUninitializedCapacity: bound) { output, count in
      input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        let result = deflate(&stream, Z_FINISH)
        precondition(result == Z_STREAM_END, "the output fits in the bound that zlib gives")
      }
      count = bound - Int(stream.avail_out)
    }
  }

  /// Returns the contents of a gzip file of one member, or `nil` if the bytes are not one.
  static func decompress(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard inflateInit2_(&stream, gzipWindowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var input = bytes
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: chunkBytes)
    return input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      while true {
        let (result, count) = chunk.withUnsafeMutableBufferPointer { chunk in
          stream.next_out = chunk.baseAddress
          stream.avail_out = UInt32(chunk.count)
          return (inflate(&stream, Z_NO_FLUSH), chunk.count - Int(stream.avail_out))
        }
        output += chunk[..<count]
        if result == Z_STREAM_END { return output }
        guard result == Z_OK, count > 0 || stream.avail_in > 0 else { return nil }
      }
    }
  }
}
