import CZlib

#if FUNNEL_ISAL
  import CIsal
#endif

/// A library that inflates a raw deflate stream in pieces of any size.
protocol InflateEngine: AnyObject {
  /// Starts a new stream.
  func reset()
  /// Inflates as much of the input as fits into the output.
  func inflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflateProgress
  /// The CRC-32 of the inflated bytes of this stream.
  var checksum: UInt32 { get }
  /// The number of inflated bytes of this stream, modulo 2³² as in gzip.
  var producedBytes: UInt32 { get }
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

/// The maximum number of bytes passed to an engine in one call. Both libraries store the counts in 32 bits.
private let callBytesMax = 1 << 30

/// The portable engine, which uses zlib.
final class ZlibInflateEngine: InflateEngine {
  /// The stream is on the heap, because zlib's internal state points back to it.
  private let stream: UnsafeMutablePointer<z_stream>
  private(set) var checksum: UInt32 = 0
  private(set) var producedBytes: UInt32 = 0

  init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // A window of 32 KiB, the maximum; the negative sign selects a raw deflate stream.
    let windowBits: Int32 = -15
    let result = inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(result == Z_OK, "zlib has no memory to begin")
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  func reset() {
    inflateReset(stream)
    checksum = 0
    producedBytes = 0
  }

  func inflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflateProgress {
    let input = input.prefix(callBytesMax)
    let room = min(output.count, callBytesMax)
    let target = output.bindMemory(to: UInt8.self).baseAddress
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: UnsafeRawBufferPointer(rebasing: input).bindMemory(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = UInt32(input.count)
    stream.pointee.next_out = target
    stream.pointee.avail_out = UInt32(room)
    let result = CZlib.inflate(stream, Z_NO_FLUSH)
    let produced = room - Int(stream.pointee.avail_out)
    checksum = UInt32(truncatingIfNeeded: crc32_z(UInt(checksum), target, produced))
    producedBytes &+= UInt32(truncatingIfNeeded: produced)
    let status: InflateProgress.Status =
      switch result {
      case Z_OK, Z_BUF_ERROR: .going
      case Z_STREAM_END: .ended(unread: [])
      default: .corrupt
      }
    return InflateProgress(consumed: input.count - Int(stream.pointee.avail_in), produced: produced, status: status)
  }
}

#if FUNNEL_ISAL
  /// The fast engine, which uses ISA-L.
  ///
  /// ISA-L inflates into an internal buffer first and copies from there. When it finds corrupt data, it copies only
  /// once more. The output must therefore be larger than that buffer (``Inflater/bodyRoomBytesMin``), or the last
  /// intact bytes would be lost.
  final class IsalInflateEngine: InflateEngine {
    private let state: UnsafeMutablePointer<inflate_state>
    private(set) var producedBytes: UInt32 = 0

    init() {
      state = .allocate(capacity: 1)
      isal_inflate_init(state)
      state.pointee.crc_flag = UInt32(ISAL_GZIP_NO_HDR)
    }

    deinit { state.deallocate() }

    var checksum: UInt32 { state.pointee.crc }

    func reset() {
      isal_inflate_reset(state)
      state.pointee.crc_flag = UInt32(ISAL_GZIP_NO_HDR)
      state.pointee.crc = 0
      producedBytes = 0
    }

    func inflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflateProgress {
      let input = input.prefix(callBytesMax)
      let room = min(output.count, callBytesMax)
      state.pointee.next_in = UnsafeMutablePointer(
        mutating: UnsafeRawBufferPointer(rebasing: input).bindMemory(to: UInt8.self).baseAddress)
      state.pointee.avail_in = UInt32(input.count)
      state.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
      state.pointee.avail_out = UInt32(room)
      let result = isal_inflate(state)
      let produced = room - Int(state.pointee.avail_out)
      producedBytes &+= UInt32(truncatingIfNeeded: produced)
      // For some corrupt streams ISA-L reports that it consumed more than there was, which makes the remaining length negative.
      let left = Int(Int32(bitPattern: state.pointee.avail_in))
      let isOverdrawn = !(0...input.count).contains(left)
      let status: InflateProgress.Status =
        if result < 0 || isOverdrawn {
          .corrupt
        } else if state.pointee.block_state == ISAL_BLOCK_FINISH {
          .ended(unread: unread())
        } else {
          .going
        }
      return InflateProgress(consumed: isOverdrawn ? input.count : input.count - left, produced: produced, status: status)
    }

    /// Returns the whole bytes after the stream's last bit that ISA-L has already consumed into its bit buffer.
    private func unread() -> [UInt8] {
      let bits = state.pointee.read_in_length
      let wholeBytes = state.pointee.read_in >> UInt64(bits % 8)
      return (0..<(bits / 8)).map { UInt8(truncatingIfNeeded: wholeBytes >> UInt64(8 * $0)) }
    }
  }
#endif
