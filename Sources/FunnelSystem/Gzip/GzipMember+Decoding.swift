import CZlib
import FunnelModel

#if FUNNEL_ISAL
  import CIsal
#endif

extension GzipMember {
  /// Parses the header at the beginning of the bytes. Other bytes may follow it.
  ///
  /// - Throws: ``Damage`` if there is no header, or if it is of a newer version.
  public static func header(of bytes: UnsafeRawBufferPointer) throws(Damage) -> Header {
    guard bytes.count >= headerBytes else { throw Damage(reason: "a member's header is cut off") }
    // The version at offset 16 is checked last, so that a newer version is distinguished from invalid data.
    guard bytes[..<16].elementsEqual(fixedHeader[..<16]) else {
      throw Damage(reason: "there is no gzip member written by funnel")
    }
    guard bytes[16] == 1 else { throw Damage(reason: "the member is of version \(bytes[16]), which needs a newer funnel") }
    guard bytes[17..<20].elementsEqual([0, 0, 0]) else { throw Damage(reason: "a member's header is invalid") }
    func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
      Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
    let first = Timestamp(milliseconds: number(at: 32, as: Int64.self))
    let last = Timestamp(milliseconds: number(at: 40, as: Int64.self))
    let memberBytes = Int(number(at: 20, as: UInt32.self))
    let rawBytes = Int(number(at: 24, as: UInt32.self))
    // Values larger than a member can have would make a reader allocate excessive memory.
    guard (headerBytes + trailerBytes + 1...Limits.memberBytesMax).contains(memberBytes), rawBytes <= Limits.memberRawBytesMax,
      first <= last
    else {
      throw Damage(reason: "a member's header is invalid")
    }
    return Header(
      memberBytes: memberBytes, rawBytes: rawBytes, lines: Int(number(at: 28, as: UInt32.self)), timestamps: first...last)
  }

  /// Inflates one member. Returns the inflated bytes after checking both lengths and the CRC-32.
  ///
  /// - Parameter member: The bytes of exactly one member.
  /// - Throws: ``Damage`` if the member is not intact.
  public static func decode(_ member: UnsafeRawBufferPointer, with engine: Inflater.Engine = .fastest) throws(Damage) -> [UInt8]
  {
    let header = try header(of: member)
    guard header.memberBytes == member.count else { throw Damage(reason: "a member's length does not match its header") }
    let stream = UnsafeRawBufferPointer(rebasing: member[headerBytes..<(member.count - trailerBytes)])
    let trailerStart = member.count - trailerBytes
    let expected = UInt32(littleEndian: member.loadUnaligned(fromByteOffset: trailerStart, as: UInt32.self))
    let length = UInt32(littleEndian: member.loadUnaligned(fromByteOffset: trailerStart + 4, as: UInt32.self))
    guard Int(length) == header.rawBytes else { throw Damage(reason: "a member's length does not match its header") }
    var outcome: (count: Int, checksum: UInt32)?
    let raw = [UInt8](unsafeUninitializedCapacity: header.rawBytes) { buffer, count in
      let output = UnsafeMutableBufferPointer(rebasing: buffer[..<header.rawBytes])
      switch engine {
      case .zlib: outcome = inflateWithZlib(stream, into: output)
      #if FUNNEL_ISAL
        case .isal: outcome = inflateWithIsal(stream, into: output)
      #endif
      }
      count = outcome?.count ?? 0
    }
    guard let outcome, outcome.count == header.rawBytes else { throw Damage(reason: "a member can't be inflated") }
    guard outcome.checksum == expected else { throw Damage(reason: "a member's checksum does not match") }
    return raw
  }

  /// Inflates a deflate stream into a buffer. Returns `nil` if the stream is corrupt, too long, or followed by other bytes.
  private static func inflateWithZlib(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<UInt8>
  ) -> (count: Int, checksum: UInt32)? {
    withUnsafeTemporaryAllocation(of: z_stream.self, capacity: 1) { streams in
      streams.initialize(repeating: z_stream())
      let stream = streams.baseAddress!
      // A window of 32 KiB, the maximum; the negative sign selects a raw deflate stream.
      let windowBits: Int32 = -15
      guard inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
      defer { inflateEnd(stream) }
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
      stream.pointee.avail_in = UInt32(input.count)
      stream.pointee.next_out = output.baseAddress
      stream.pointee.avail_out = UInt32(output.count)
      guard inflate(stream, Z_FINISH) == Z_STREAM_END, stream.pointee.avail_in == 0 else { return nil }
      let count = output.count - Int(stream.pointee.avail_out)
      return (count, UInt32(truncatingIfNeeded: crc32_z(0, output.baseAddress, count)))
    }
  }

  #if FUNNEL_ISAL
    /// Inflates a deflate stream into a buffer. Returns `nil` if the stream is corrupt, too long, or followed by other bytes.
    private static func inflateWithIsal(
      _ input: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> (count: Int, checksum: UInt32)? {
      let state = UnsafeMutablePointer<inflate_state>.allocate(capacity: 1)
      defer { state.deallocate() }
      isal_inflate_init(state)
      state.pointee.crc_flag = UInt32(ISAL_GZIP_NO_HDR)
      state.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
      state.pointee.avail_in = UInt32(input.count)
      state.pointee.next_out = output.baseAddress
      state.pointee.avail_out = UInt32(output.count)
      guard isal_inflate_stateless(state) == ISAL_DECOMP_OK, state.pointee.block_state == ISAL_BLOCK_FINISH,
        state.pointee.avail_in == 0, state.pointee.read_in_length < 8
      else { return nil }
      return (output.count - Int(state.pointee.avail_out), state.pointee.crc)
    }
  #endif
}
