import CZlib

// Invariants of the memory, on which all calls of zlib rely:
// - A stream has a fixed address, because zlib's internal state points back to it. It is initialized until its owner is released.
// - A call gets the address and the length of an input and of free memory, and keeps neither. Lengths fit into 32 bits.

/// A stream of zlib, and the calls that read an input and write an output.
struct ZlibStream: ~Copyable {
  /// The base-2 logarithm of the window size: 32 KiB, the maximum.
  static let windowBits: Int32 = 15
  /// The window size that selects a raw deflate stream.
  static let rawWindowBits = -windowBits

  let pointer: UnsafeMutablePointer<z_stream>

  init() {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: z_stream())
  }

  deinit { pointer.deallocate() }

  /// Calls a function of zlib that consumes input and writes to the output.
  borrowing func run(
    _ input: Span<UInt8>, into output: inout OutputSpan<UInt8>, _ call: () -> Int32
  ) -> (result: Int32, consumed: Int, produced: Int) {
    let inputCount = min(input.count, engineCallBytesMax)
    let room = min(output.freeCapacity, engineCallBytesMax)
    return input.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer { buffer, initializedCount in
        pointer.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        pointer.pointee.avail_in = UInt32(inputCount)
        pointer.pointee.next_out = buffer.baseAddress.map { $0 + initializedCount }
        pointer.pointee.avail_out = UInt32(room)
        let result = call()
        let consumed = inputCount - Int(pointer.pointee.avail_in)
        let produced = room - Int(pointer.pointee.avail_out)
        precondition((0...inputCount).contains(consumed) && (0...room).contains(produced), "zlib stays within its buffers")
        initializedCount += produced
        return (result, consumed, produced)
      }
    }
  }
}

/// The portable engine for inflating, which uses zlib.
final class ZlibInflateEngine: InflateEngine {
  private let stream = ZlibStream()
  private(set) var checksum: UInt32 = 0
  private(set) var producedBytes: UInt32 = 0

  init() {
    let result = inflateInit2_(stream.pointer, ZlibStream.rawWindowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(result == Z_OK, "zlib has no memory to begin")
  }

  deinit { inflateEnd(stream.pointer) }

  func reset() {
    inflateReset(stream.pointer)
    checksum = 0
    producedBytes = 0
  }

  func inflate(_ input: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> InflateProgress {
    let (result, consumed, produced) = stream.run(input, into: &output) { CZlib.inflate(stream.pointer, Z_NO_FLUSH) }
    checksum = zlibCRC32(output.span.extracting(last: produced), after: checksum)
    producedBytes &+= UInt32(truncatingIfNeeded: produced)
    let status: InflateProgress.Status =
      switch result {
      case Z_OK, Z_BUF_ERROR: .going
      case Z_STREAM_END: .ended(unread: [])
      default: .corrupt
      }
    return InflateProgress(consumed: consumed, produced: produced, status: status)
  }

  static func inflateWhole(_ stream: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> UInt32? {
    let engine = ZlibInflateEngine()
    let progress = engine.inflate(stream, into: &output)
    guard case .ended = progress.status, progress.consumed == stream.count else { return nil }
    return engine.checksum
  }
}

/// The portable engine for compressing, which uses zlib.
final class ZlibDeflateEngine: DeflateEngine {
  private let stream = ZlibStream()

  init(level: Int32) {
    precondition((1...9).contains(level), "zlib knows the levels 1 to 9")
    // zlib's default.
    let memoryLevel: Int32 = 8
    let result = deflateInit2_(
      stream.pointer, level, Z_DEFLATED, ZlibStream.rawWindowBits, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(result == Z_OK, "zlib has no memory to begin")
  }

  deinit { deflateEnd(stream.pointer) }

  func deflate(_ raw: Span<UInt8>, into output: inout OutputSpan<UInt8>) {
    precondition(raw.count <= engineCallBytesMax, "one call compresses the whole input")
    deflateReset(stream.pointer)
    let (result, _, _) = stream.run(raw, into: &output) { CZlib.deflate(stream.pointer, Z_FINISH) }
    precondition(result == Z_STREAM_END, "the bound of the compressed length is too small")
    output.append(littleEndian: zlibCRC32(raw))
    // The gzip trailer stores the length modulo 2³².
    output.append(littleEndian: UInt32(truncatingIfNeeded: raw.count))
  }
}

/// Returns the CRC-32 of bytes.
///
/// - Parameter checksum: The CRC-32 of the bytes before them, or 0 if there are none.
func zlibCRC32(_ bytes: Span<UInt8>, after checksum: UInt32 = 0) -> UInt32 {
  if bytes.isEmpty { return checksum }
  return bytes.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: crc32_z(UInt(checksum), $0.baseAddress, $0.count)) }
}

extension Checksum {
  /// Returns the CRC-32 of bytes of which one was added at the end.
  ///
  /// - Parameter checksum: The CRC-32 of the bytes before it, or 0 if there are none.
  static func crc32(of byte: UInt8, after checksum: UInt32) -> UInt32 {
    withUnsafePointer(to: byte) { UInt32(truncatingIfNeeded: crc32_z(UInt(checksum), $0, 1)) }
  }
}
