import CZlib

/// Inflates the body of an HTTP message (RFC 9110, 8.4.1) that arrives in pieces of any size. Not thread-safe.
///
/// It is not ``Inflater``, which needs a large output and a larger state, because there may be a thousand bodies at once.
package final class BodyInflater {
  /// A content encoding.
  package enum Encoding: Hashable, Sendable {
    /// Any number of members (RFC 1952). Nothing may follow the last one.
    case gzip
    /// A zlib stream (RFC 1950) or a raw deflate stream (RFC 1951). Its first two bytes tell which.
    case deflate
  }

  /// The status after a call.
  package enum Status: Hashable, Sendable {
    /// All input has been consumed.
    case needsInput
    /// There may be more output for this input: call again with room for it.
    case outputFull
    /// The data violates the format, or continues after its end.
    case corrupt
  }

  private enum State {
    /// Before a deflate body whose format is not known yet, with its first byte, if that has arrived.
    case beginning(UInt8?)
    /// In a stream or a member. The bytes were consumed from the input, but not by zlib yet.
    case inside(pending: [UInt8])
    /// After a stream or a member.
    case complete
    case corrupt
  }

  /// An upper bound of the memory of an inflater: zlib's window, state and tables.
  package static let memoryBytes = 48 << 10

  private let encoding: Encoding
  private let stream = ZlibStream()
  private var isInitialized = false
  private var state: State

  /// The number added to the window size for a gzip header and trailer.
  private static let gzipWindowBits: Int32 = 16

  package init(_ encoding: Encoding) {
    self.encoding = encoding
    switch encoding {
    case .gzip:
      state = .inside(pending: [])
      initialize(windowBits: ZlibStream.windowBits + Self.gzipWindowBits)
    case .deflate: state = .beginning(nil)
    }
  }

  deinit { if isInitialized { inflateEnd(stream.pointer) } }

  /// Whether the input so far is a complete body.
  package var isComplete: Bool { if case .complete = state { true } else { false } }

  /// Inflates as much of the input as fits into the output, and appends it. Returns the number of input bytes consumed.
  package func inflate(_ input: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> (consumed: Int, status: Status) {
    precondition(!output.isFull, "the output needs room")
    var consumed = 0
    while true {
      switch state {
      case .corrupt: return (consumed, .corrupt)
      case .beginning(let first):
        guard consumed < input.count else { return (consumed, .needsInput) }
        begin(first, input[consumed])
        consumed += 1
      case .complete:
        guard consumed < input.count else { return (consumed, .needsInput) }
        // Only gzip has a further member, whose header zlib checks.
        let hasNext = encoding == .gzip && inflateReset(stream.pointer) == Z_OK
        state = hasNext ? .inside(pending: []) : .corrupt
      case .inside(let pending) where !pending.isEmpty:
        let (taken, status) = advance(pending.span, into: &output)
        if case .inside = state { state = .inside(pending: Array(pending.dropFirst(taken))) }
        if let status, status != .needsInput { return (consumed, status) }
      case .inside:
        let (taken, status) = advance(input.extracting(droppingFirst: consumed), into: &output)
        consumed += taken
        if let status { return (consumed, status) }
      }
    }
  }

  /// Starts a deflate body as soon as its first two bytes are there.
  private func begin(_ first: UInt8?, _ next: UInt8) {
    guard let first else {
      state = .beginning(next)
      return
    }
    initialize(windowBits: Self.isZlibHeader([first, next]) ? ZlibStream.windowBits : ZlibStream.rawWindowBits)
    state = .inside(pending: [first, next])
  }

  private func initialize(windowBits: Int32) {
    let result = inflateInit2_(stream.pointer, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(result == Z_OK, "zlib has no memory to begin")
    isInitialized = true
  }

  /// Returns whether two bytes are the header of a zlib stream without a preset dictionary (RFC 1950, 2.2).
  ///
  /// No raw deflate stream begins so: it would be a stored block with a bit set in its padding.
  private static func isZlibHeader(_ bytes: [UInt8]) -> Bool {
    let methodMask: UInt8 = 0x0F
    let deflateMethod: UInt8 = 8
    let windowMax: UInt8 = 7
    let dictionaryBit: UInt8 = 0x20
    let checkModulus: UInt16 = 31
    return bytes[0] & methodMask == deflateMethod && bytes[0] >> 4 <= windowMax && bytes[1] & dictionaryBit == 0
      && (UInt16(bytes[0]) << 8 | UInt16(bytes[1])).isMultiple(of: checkModulus)
  }

  /// Calls zlib once. The status is `nil` if a stream or a member ended.
  private func advance(_ input: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> (consumed: Int, status: Status?) {
    let (result, consumed, _) = stream.run(input, into: &output) { CZlib.inflate(stream.pointer, Z_NO_FLUSH) }
    switch result {
    case Z_STREAM_END:
      state = .complete
      return (consumed, nil)
    case Z_OK, Z_BUF_ERROR:
      if output.isFull { return (consumed, .outputFull) }
      if consumed == input.count { return (consumed, .needsInput) }
      fallthrough
    default:
      state = .corrupt
      return (consumed, .corrupt)
    }
  }
}
