import CZlib

#if FUNNEL_ISAL
  import CIsal
#endif

/// Compresses whole buffers with deflate (RFC 1951), reusing its working memory. Not thread-safe: each worker owns one.
public final class Deflater {
  /// The library that compresses, and its level.
  public enum Method: Hashable, Sendable {
    /// zlib, level 1 to 9; 9 is for archives.
    case zlib(level: Int32)
    #if FUNNEL_ISAL
      /// ISA-L, level 1 or 3: several times faster than zlib's fastest level at a similar compression ratio.
      case isal(level: UInt32)
    #endif

    /// The fastest method available, for writing while a user waits.
    public static var fastest: Method {
      #if FUNNEL_ISAL
        .isal(level: 1)
      #else
        .zlib(level: 1)
      #endif
    }
  }

  private let engine: any DeflateEngine
  /// The output buffer. It is reused, because new memory costs more time than compressing into it.
  private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// Creates a compressor.
  public init(_ method: Method = .fastest) {
    switch method {
    case .zlib(let level): engine = ZlibDeflateEngine(level: level)
    #if FUNNEL_ISAL
      case .isal(let level): engine = IsalDeflateEngine(level: level)
    #endif
    }
  }

  deinit { scratch.deallocate() }

  /// Appends the deflate stream of the bytes and the gzip trailer (RFC 1952 section 2.3): their CRC-32 and their length.
  func appendStreamAndTrailer(of raw: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    let bound = Self.compressedBytesMax(of: raw.count)
    if scratch.count < bound {
      scratch.deallocate()
      scratch = .allocate(byteCount: bound, alignment: 16)
    }
    // The output is limited to the bound even if the buffer is larger, so that the result does not depend on earlier inputs.
    let count = engine.deflate(raw, into: UnsafeMutableRawBufferPointer(rebasing: scratch[..<bound]))
    bytes.reserveCapacity(bytes.count + count)
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
  }

  /// Returns an upper bound of the length of the stream and trailer of `count` bytes, for both libraries.
  private static func compressedBytesMax(of count: Int) -> Int {
    // Deflate expands incompressible data by the header of each stored block.
    let blockHeaderBytes = 5
    // The smallest stored block that the libraries write, unless it is the last one.
    let blockBytesMin = 16_384
    // Slack for the trailer and the end of the stream. Both libraries' own bounds are below the sum.
    let slackBytes = count / 1000 + 512
    return count + blockHeaderBytes * (count / blockBytesMin + 1) + slackBytes
  }
}

/// A library that compresses a buffer.
private protocol DeflateEngine {
  /// Writes the deflate stream and the gzip trailer of `raw` into `output`. Returns their length.
  ///
  /// - Precondition: The output has room for the stream and the trailer.
  func deflate(_ raw: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int
}

private final class ZlibDeflateEngine: DeflateEngine {
  /// The stream is on the heap, because zlib's internal state points back to it.
  private let stream: UnsafeMutablePointer<z_stream>

  init(level: Int32) {
    precondition((1...9).contains(level), "zlib knows the levels 1 to 9")
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // A window of 32 KiB, the maximum; the negative sign selects a raw deflate stream.
    let windowBits: Int32 = -15
    // zlib's default.
    let memoryLevel: Int32 = 8
    let result = deflateInit2_(
      stream, level, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(result == Z_OK, "zlib has no memory to begin")
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  func deflate(_ raw: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int {
    deflateReset(stream)
    let input = raw.bindMemory(to: UInt8.self)
    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
    stream.pointee.avail_in = UInt32(input.count)
    stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
    stream.pointee.avail_out = UInt32(output.count)
    let result = CZlib.deflate(stream, Z_FINISH)
    precondition(result == Z_STREAM_END, "the bound of the compressed length is too small")
    let count = output.count - Int(stream.pointee.avail_out)
    let checksum = UInt32(truncatingIfNeeded: crc32_z(0, input.baseAddress, input.count))
    output.storeBytes(of: checksum.littleEndian, toByteOffset: count, as: UInt32.self)
    // The gzip trailer stores the length modulo 2³².
    output.storeBytes(of: UInt32(truncatingIfNeeded: raw.count).littleEndian, toByteOffset: count + 4, as: UInt32.self)
    return count + GzipMember.trailerBytes
  }
}

#if FUNNEL_ISAL
  private final class IsalDeflateEngine: DeflateEngine {
    private let stream: UnsafeMutablePointer<isal_zstream>
    private let level: UInt32
    private let levelBuffer: UnsafeMutableBufferPointer<UInt8>

    init(level: UInt32) {
      precondition(level == 1 || level == 3, "of ISA-L the levels 1 and 3 are used")
      self.level = level
      // ISAL_DEF_LVL1_DEFAULT and ISAL_DEF_LVL3_DEFAULT, macros that Swift can't import: 64 Ki tokens of 4 bytes
      // and the hash tables.
      let tokens = 4 * 64 * 1024
      levelBuffer = .allocate(capacity: tokens + (level == 1 ? 4 * 1024 + 2 * 8 * 1024 : 20 * 1024 + 2 * 32 * 1024))
      stream = .allocate(capacity: 1)
      // ISA-L's initialization does not set the window size, which affects the compressed bytes, so the structure
      // is zeroed first.
      UnsafeMutableRawPointer(stream).initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<isal_zstream>.size)
      levelBuffer.initialize(repeating: 0)
    }

    deinit {
      stream.deallocate()
      levelBuffer.deallocate()
    }

    func deflate(_ raw: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int {
      isal_deflate_stateless_init(stream)
      stream.pointee.level = level
      stream.pointee.level_buf = levelBuffer.baseAddress
      stream.pointee.level_buf_size = UInt32(levelBuffer.count)
      stream.pointee.gzip_flag = UInt16(IGZIP_GZIP_NO_HDR)
      stream.pointee.end_of_stream = 1
      stream.pointee.flush = UInt16(NO_FLUSH)
      let input = raw.bindMemory(to: UInt8.self)
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointee.avail_in = UInt32(input.count)
      stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
      stream.pointee.avail_out = UInt32(output.count)
      let result = isal_deflate_stateless(stream)
      precondition(result == COMP_OK, "the bound of the compressed length is too small")
      return output.count - Int(stream.pointee.avail_out)
    }
  }
#endif
