import NIOCore

/// A channel handler in front of the HTTP parser that limits the size of a request head (request line and headers).
///
/// It also keeps the first bytes of a request. They give the method of a request that the parser rejects.
final class RequestHeadLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// The error for a request head that is longer than the limit.
  struct TooLong: Error {}

  private let bytesMax: Int
  /// The number of bytes received since the last complete head.
  private var bytes = 0
  /// The first bytes of the request, at most ``methodBytesMax``.
  private var beginning: [UInt8] = []

  /// The length in bytes of the longest recognized method, including the space after it.
  private static let methodBytesMax = 64

  /// The factor by which the received bytes may exceed the limit, because a short body may arrive in the same read.
  private static let slack = 2

  /// - Parameter bytesMax: The largest size in bytes of a request head.
  init(bytesMax: Int) {
    precondition(bytesMax > 0, "a request head has bytes")
    self.bytesMax = bytesMax
  }

  /// Resets the byte count after a complete head. Bytes of a following request that arrived with this head are
  /// not counted again.
  func beginAnew() {
    bytes = 0
    beginning.removeAll(keepingCapacity: true)
  }

  /// The method of the request, including methods that the parser does not support.
  ///
  /// `nil` if the received bytes do not start with a token (RFC 9110, 5.6.2) and a space. That includes a
  /// request that arrived together with the previous one.
  var method: String? {
    guard let end = beginning.firstIndex(of: UInt8(ascii: " ")), end > 0, beginning[..<end].allSatisfy(Self.isTokenByte) else {
      return nil
    }
    return String(decoding: beginning[..<end], as: UTF8.self)
  }

  /// Whether a token may contain a byte (RFC 9110, 5.6.2).
  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let read = unwrapInboundIn(data)
    if beginning.count < Self.methodBytesMax {
      // Empty lines may precede a request (RFC 9112, 2.2).
      let bytes = read.readableBytesView.prefix(Self.methodBytesMax - beginning.count)
      beginning += beginning.isEmpty ? Array(bytes.drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) : Array(bytes)
    }
    bytes += read.readableBytes
    guard bytes <= Self.slack * bytesMax else { return context.fireErrorCaught(TooLong()) }
    context.fireChannelRead(data)
  }
}
