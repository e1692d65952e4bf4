/// A library that inflates raw deflate streams (RFC 1951).
protocol InflateEngine: AnyObject {
  /// Starts a new stream.
  func reset()
  /// Inflates as much of the input as fits into the output, and appends it. The input may be any piece of the stream.
  func inflate(_ input: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> InflateProgress
  /// The CRC-32 of the bytes inflated from this stream by ``inflate(_:into:)``.
  var checksum: UInt32 { get }
  /// The number of these bytes, modulo 2³² as in gzip.
  var producedBytes: UInt32 { get }
  /// Inflates a whole stream, and appends it to the output. Returns the CRC-32 of the inflated bytes, or `nil` if the
  /// stream is corrupt, longer than the room in the output, or followed by other bytes.
  static func inflateWhole(_ stream: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> UInt32?
}

/// The result of one call of ``InflateEngine/inflate(_:into:)``.
struct InflateProgress {
  /// The state of the stream after the call.
  enum Status {
    /// The engine needs more input or more room.
    case going
    /// The stream is complete. `unread` contains the bytes after its end that the engine had already consumed, at most 8.
    case ended(unread: [UInt8])
    /// The stream violates the format.
    case corrupt
  }

  /// The number of input bytes consumed.
  var consumed: Int
  /// The number of output bytes written.
  var produced: Int
  var status: Status
}

/// A library that compresses whole buffers to raw deflate streams (RFC 1951).
protocol DeflateEngine: AnyObject {
  /// Appends the deflate stream of the bytes and the gzip trailer to the output.
  ///
  /// - Precondition: The output has room for the stream and the trailer.
  func deflate(_ raw: Span<UInt8>, into output: inout OutputSpan<UInt8>)
}

extension Inflater.Engine {
  /// The implementation.
  var type: any InflateEngine.Type {
    switch self {
    case .zlib: ZlibInflateEngine.self
    #if FUNNEL_ISAL
      case .isal: IsalInflateEngine.self
    #endif
    }
  }

  /// Creates an instance of the implementation.
  func make() -> any InflateEngine {
    switch self {
    case .zlib: ZlibInflateEngine()
    #if FUNNEL_ISAL
      case .isal: IsalInflateEngine()
    #endif
    }
  }
}

/// The maximum number of bytes passed to a library in one call. The libraries store the counts in 32 bits.
let engineCallBytesMax = 1 << 30

/// The CRC-32 of gzip (RFC 1952 section 8). It detects damage, not tampering.
package enum Checksum {
  /// Returns the CRC-32 of bytes.
  package static func crc32(_ bytes: Span<UInt8>) -> UInt32 {
    #if FUNNEL_ISAL
      isalCRC32(bytes)
    #else
      zlibCRC32(bytes)
    #endif
  }
}
