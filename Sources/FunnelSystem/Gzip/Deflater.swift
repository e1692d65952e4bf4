import CZlib

#if FUNNEL_ISAL
  import CIsal
#endif

/// Compresses whole buffers with deflate (RFC 1951), one after another with the same working memory. Not for several threads at once.
public final class Deflater {
  /// Who compresses, and how hard.
  public enum Method: Hashable, Sendable {
    /// zlib, level 1 to 9; 9 for archives.
    case zlib(level: Int32)
    #if FUNNEL_ISAL
      /// ISA-L, level 1 or 3: several times faster than zlib's fastest and about as tight.
      case isal(level: UInt32)
    #endif

    /// The fastest there is, for writing while somebody waits.
    public static var fastest: Method {
      #if FUNNEL_ISAL
        .isal(level: 1)
      #else
        .zlib(level: 1)
      #endif
    }
  }

  private let engine: any DeflateEngine
  /// Where a stream is made before its length is known; kept, because fresh memory costs more than compressing into it.
  private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// Makes a compressor.
  public init(_ method: Method = .fastest) {
    switch method {
    case .zlib(let level): engine = ZlibDeflateEngine(level: level)
    #if FUNNEL_ISAL
      case .isal(let level): engine = IsalDeflateEngine(level: level)
    #endif
    }
  }

  deinit { scratch.deallocate() }

  /// Appends the deflate stream of the bytes and, as gzip has it (RFC 1952 section 2.3), their CRC-32 and their length.
  func appendStreamAndTrailer(of raw: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    // Deflate grows what it can't shrink by 5 bytes for each stored block; the rest is slack for both engines' own bounds.
    let bound = raw.count + raw.count / 1000 + 5 * (raw.count / 16_384 + 1) + 512
    if scratch.count < bound {
      scratch.deallocate()
      scratch = .allocate(byteCount: bound, alignment: 16)
    }
    // No more room than the bound, whatever room there is: what comes out must not depend on what was compressed before.
    let count = engine.deflate(raw, into: UnsafeMutableRawBufferPointer(rebasing: scratch[..<bound]))
    bytes.reserveCapacity(bytes.count + count)
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
  }
}

/// One library's way to compress a buffer into another that is surely large enough; deflate stream and gzip trailer.
private protocol DeflateEngine {
  func deflate(_ raw: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int
}

private final class ZlibDeflateEngine: DeflateEngine {
  /// On the heap, because zlib's inner state points back at it.
  private let stream: UnsafeMutablePointer<z_stream>

  init(level: Int32) {
    precondition((1...9).contains(level), "zlib knows the levels 1 to 9")
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let result = deflateInit2_(
      stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
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
    output.storeBytes(of: UInt32(truncatingIfNeeded: raw.count).littleEndian, toByteOffset: count + 4, as: UInt32.self)
    return count + 8
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
      // ISAL_DEF_LVL1_DEFAULT and ISAL_DEF_LVL3_DEFAULT, whose macros Swift can't read: 64 Ki tokens of 4 bytes and the hash tables.
      let tokens = 4 * 64 * 1024
      levelBuffer = .allocate(capacity: tokens + (level == 1 ? 4 * 1024 + 2 * 8 * 1024 : 20 * 1024 + 2 * 32 * 1024))
      stream = .allocate(capacity: 1)
      // ISA-L's own initialisation leaves the size of the window as it finds it, and with it what the bytes compress to.
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
