import NIOCore

/// Removes the framing of a chunked body (RFC 9112, 7.1) that arrives in pieces. Extensions and trailers are ignored.
struct ChunkDecoder {
  /// The result of one call.
  enum Step {
    /// All of the input was consumed, or the line in it is incomplete.
    case needsInput
    /// The next bytes of the body.
    case payload(ByteBuffer)
    /// The body and its trailers are complete.
    case end
  }

  private enum State {
    /// The line with the size of a chunk.
    case size
    /// The bytes of a chunk, and the number of them that are still to come.
    case payload(Int)
    /// The end of the line after a chunk.
    case payloadEnd
    /// The lines after the last chunk, and the number of them so far.
    case trailers(Int)
  }

  private let trailerBytesMax: Int
  private let trailersMax: Int
  private let bodyBytesMax: Int
  private var lines = LineReader()
  private var state = State.size
  private var trailerBytes = 0
  /// The sizes of all chunks so far.
  private var bodyBytes = 0

  /// The largest size in bytes of a line with the size of a chunk, extensions included.
  private static let sizeLineBytesMax = 256
  /// The largest number of hexadecimal digits of a size that fits into an integer for certain.
  private static let sizeDigitsMax = 15
  private static let lineEndBytes = 2

  init(_ limits: UploadLimits) {
    trailerBytesMax = limits.headBytes
    trailersMax = limits.headerFields
    bodyBytesMax = limits.bodyBytes
  }

  /// Decodes the next part of the input and removes it from the buffer.
  ///
  /// - Throws: `malformedChunk`, or `bodyTooLarge` as soon as the size of a chunk exceeds the limit.
  mutating func next(_ input: inout ByteBuffer) throws(UploadRefusal) -> Step {
    while true {
      switch state {
      case .size:
        guard let line = try line(&input, bytesMax: Self.sizeLineBytesMax) else { return .needsInput }
        let size = try Self.size(line)
        guard size <= bodyBytesMax - bodyBytes else { throw .bodyTooLarge }
        bodyBytes += size
        state = size == 0 ? .trailers(0) : .payload(size)
      case .payload(let remaining):
        guard let bytes = input.readSlice(length: min(remaining, input.readableBytes)), bytes.readableBytes > 0 else {
          return .needsInput
        }
        let left = remaining - bytes.readableBytes
        state = left == 0 ? .payloadEnd : .payload(left)
        return .payload(bytes)
      case .payloadEnd:
        guard try line(&input, bytesMax: Self.lineEndBytes) != nil else { return .needsInput }
        state = .size
      case .trailers(let count):
        guard let line = try line(&input, bytesMax: trailerBytesMax - trailerBytes) else { return .needsInput }
        if line.isEmpty { return .end }
        guard count < trailersMax else { throw .malformedChunk }
        trailerBytes += line.count + Self.lineEndBytes
        state = .trailers(count + 1)
      }
    }
  }

  private mutating func line(_ input: inout ByteBuffer, bytesMax: Int) throws(UploadRefusal) -> [UInt8]? {
    switch lines.next(&input, bytesMax: bytesMax) {
    case .incomplete: return nil
    case .line(let line): return line
    case .tooLong, .malformed: throw .malformedChunk
    }
  }

  /// Returns the size at the beginning of a line.
  private static func size(_ line: [UInt8]) throws(UploadRefusal) -> Int {
    let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    let extensions = line[digits.endIndex...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard extensions.isEmpty || extensions.first == UInt8(ascii: ";"), !digits.isEmpty,
      let first = digits.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-")
    else { throw .malformedChunk }
    let significant = digits.drop { $0 == UInt8(ascii: "0") }
    guard significant.count <= sizeDigitsMax else { throw .malformedChunk }
    if significant.isEmpty { return 0 }
    guard let size = Int(String(decoding: significant, as: UTF8.self), radix: 16), size > 0 else { throw .malformedChunk }
    return size
  }
}
