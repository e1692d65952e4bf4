import CZlib

/// Compresses the contents of a file as one gzip member, and reads such a file (RFC 1952).
///
/// zlib does it, the system's own: it is part of every SDK for iOS and macOS and of every Linux, so an app ships nothing for it.
enum GzipFile {
  /// Returns the gzip file of some bytes.
  static func compress(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    // 15 bits of window, and 16 for a gzip header and trailer; 8 is zlib's default for memory, level 6 its default for effort.
    let result = deflateInit2_(
      &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(result == Z_OK, "zlib has no memory to begin")
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
        precondition(result == Z_STREAM_END, "the bound of the compressed length is too small")
      }
      count = bound - Int(stream.avail_out)
    }
  }

  /// Returns the contents of a gzip file of one member, or nil if the bytes are none.
  static func decompress(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var (input, output) = (bytes, [UInt8]())
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
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
