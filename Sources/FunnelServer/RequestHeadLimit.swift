import NIOCore

/// Ends connections whose request line and headers are too long, before anything keeps them, and keeps how a request begins.
final class RequestHeadLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// The head of a request is longer than allowed.
  struct TooLong: Error {}

  private let bytesMax: Int
  private var bytes = 0
  private var beginning: [UInt8] = []

  /// The longest method that is recognised.
  private static let methodBytesMax = 64

  init(bytesMax: Int) {
    self.bytesMax = bytesMax
  }

  /// Begins to count anew: a head is whole. The next one begins in the bytes that were counted with it, or later.
  func beginAnew() {
    bytes = 0
    beginning.removeAll(keepingCapacity: true)
  }

  /// The method of the request, also one that the parser does not know; nil if it does not begin with a token and a blank (RFC 9110, 5.6.2), or
  /// if it came together with the request before it.
  var method: String? {
    guard let end = beginning.firstIndex(of: UInt8(ascii: " ")), end > 0, beginning[..<end].allSatisfy(Self.isTokenByte) else {
      return nil
    }
    return String(decoding: beginning[..<end], as: UTF8.self)
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let read = unwrapInboundIn(data)
    if beginning.count < Self.methodBytesMax {
      // Empty lines may come before a request (RFC 9112, 2.2).
      let bytes = read.readableBytesView.prefix(Self.methodBytesMax - beginning.count)
      beginning += beginning.isEmpty ? Array(bytes.drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) : Array(bytes)
    }
    bytes += read.readableBytes
    // What follows a head, a short body, may have come with it.
    guard bytes <= 2 * bytesMax else { return context.fireErrorCaught(TooLong()) }
    context.fireChannelRead(data)
  }
}
