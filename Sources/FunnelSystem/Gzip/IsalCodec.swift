#if FUNNEL_ISAL
  import CIsal

  // Invariants of the memory, on which all calls of ISA-L rely:
  // - A state has a fixed address until its owner is released, and is initialized by ISA-L before its first use.
  // - A call gets the address and the length of an input and of free memory. Lengths fit into 32 bits. The addresses are replaced
  //   before the next call.

  /// The fast engine for inflating, which uses ISA-L.
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

    func inflate(_ input: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> InflateProgress {
      let call = run(input, into: &output) { isal_inflate(state) }
      producedBytes &+= UInt32(truncatingIfNeeded: call.produced)
      let isOverdrawn = call.consumed == nil
      let status: InflateProgress.Status =
        if call.result < 0 || isOverdrawn {
          .corrupt
        } else if state.pointee.block_state == ISAL_BLOCK_FINISH {
          .ended(unread: unread())
        } else {
          .going
        }
      return InflateProgress(
        consumed: call.consumed ?? min(input.count, engineCallBytesMax), produced: call.produced, status: status)
    }

    static func inflateWhole(_ stream: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> UInt32? {
      let engine = IsalInflateEngine()
      // The bit buffer holds fewer than 8 bits of the last byte if the stream ends in it.
      let bitsPerByte = 8
      let call = engine.run(stream, into: &output) { isal_inflate_stateless(engine.state) }
      guard call.result == ISAL_DECOMP_OK, engine.state.pointee.block_state == ISAL_BLOCK_FINISH,
        call.consumed == stream.count, engine.state.pointee.read_in_length < bitsPerByte
      else { return nil }
      return engine.checksum
    }

    /// Calls a function of ISA-L that consumes input and writes to the output.
    ///
    /// - Returns: The result, and the numbers of bytes. For some corrupt streams ISA-L reports impossible remaining lengths;
    ///   `consumed` is `nil` then.
    private func run(
      _ input: Span<UInt8>, into output: inout OutputSpan<UInt8>, _ call: () -> Int32
    ) -> (result: Int32, consumed: Int?, produced: Int) {
      let inputCount = min(input.count, engineCallBytesMax)
      let room = min(output.freeCapacity, engineCallBytesMax)
      return input.withUnsafeBufferPointer { input in
        output.withUnsafeMutableBufferPointer { buffer, initializedCount in
          state.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
          state.pointee.avail_in = UInt32(inputCount)
          state.pointee.next_out = buffer.baseAddress.map { $0 + initializedCount }
          state.pointee.avail_out = UInt32(room)
          let result = call()
          let freeCount = Int(Int32(bitPattern: state.pointee.avail_out))
          let unconsumed = Int(Int32(bitPattern: state.pointee.avail_in))
          guard (0...room).contains(freeCount) else { return (result, nil, 0) }
          let produced = room - freeCount
          initializedCount += produced
          return (result, (0...inputCount).contains(unconsumed) ? inputCount - unconsumed : nil, produced)
        }
      }
    }

    /// Returns the whole bytes after the stream's last bit that ISA-L has already consumed into its bit buffer.
    private func unread() -> [UInt8] {
      let bits = state.pointee.read_in_length
      let wholeBytes = state.pointee.read_in >> UInt64(bits % 8)
      return (0..<(bits / 8)).map { UInt8(truncatingIfNeeded: wholeBytes >> UInt64(8 * $0)) }
    }
  }

  /// The fast engine for compressing, which uses ISA-L.
  final class IsalDeflateEngine: DeflateEngine {
    private let stream: UnsafeMutablePointer<isal_zstream>
    private let level: UInt32
    private let levelBuffer: UnsafeMutableBufferPointer<UInt8>

    init(level: UInt32) {
      precondition(level == 1 || level == 3, "of ISA-L the levels 1 and 3 are used")
      self.level = level
      // ISAL_DEF_LVL1_DEFAULT and ISAL_DEF_LVL3_DEFAULT, macros that Swift can't import: 64 Ki tokens of 4 bytes
      // and the hash tables.
      let tokenBytes = 4 * 64 * 1024
      let tableBytes = level == 1 ? 4 * 1024 + 2 * 8 * 1024 : 20 * 1024 + 2 * 32 * 1024
      levelBuffer = .allocate(capacity: tokenBytes + tableBytes)
      levelBuffer.initialize(repeating: 0)
      // ISA-L's initialization does not set the window size, which affects the compressed bytes, so the structure
      // is zeroed first.
      stream = .allocate(capacity: 1)
      UnsafeMutableRawPointer(stream).initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<isal_zstream>.size)
    }

    deinit {
      stream.deallocate()
      levelBuffer.deallocate()
    }

    func deflate(_ raw: Span<UInt8>, into output: inout OutputSpan<UInt8>) {
      precondition(raw.count <= engineCallBytesMax, "one call compresses the whole input")
      isal_deflate_stateless_init(stream)
      stream.pointee.level = level
      stream.pointee.level_buf = levelBuffer.baseAddress
      stream.pointee.level_buf_size = UInt32(levelBuffer.count)
      stream.pointee.gzip_flag = UInt16(IGZIP_GZIP_NO_HDR)
      stream.pointee.end_of_stream = 1
      stream.pointee.flush = UInt16(NO_FLUSH)
      let room = min(output.freeCapacity, engineCallBytesMax)
      raw.withUnsafeBufferPointer { input in
        output.withUnsafeMutableBufferPointer { buffer, initializedCount in
          stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
          stream.pointee.avail_in = UInt32(input.count)
          stream.pointee.next_out = buffer.baseAddress.map { $0 + initializedCount }
          stream.pointee.avail_out = UInt32(room)
          let result = isal_deflate_stateless(stream)
          precondition(result == COMP_OK, "the bound of the compressed length is too small")
          initializedCount += room - Int(stream.pointee.avail_out)
        }
      }
    }
  }

  /// Returns the CRC-32 of bytes.
  func isalCRC32(_ bytes: Span<UInt8>) -> UInt32 {
    if bytes.isEmpty { return 0 }
    return bytes.withUnsafeBufferPointer { crc32_gzip_refl(0, $0.baseAddress, UInt64($0.count)) }
  }
#endif
