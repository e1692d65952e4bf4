import NIOCore

/// Ends connections whose request line and headers are too long, before anything keeps them.
final class RequestHeadLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// The head of a request is longer than allowed.
  struct TooLong: Error {}

  private let bytesMax: Int
  private var bytes = 0

  init(bytesMax: Int) {
    self.bytesMax = bytesMax
  }

  /// Begins to count anew: a head is whole. The next one begins in the bytes that were counted with it, or later.
  func beginAnew() { bytes = 0 }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    bytes += unwrapInboundIn(data).readableBytes
    // What follows a head, a short body, may have come with it.
    guard bytes <= 2 * bytesMax else { return context.fireErrorCaught(TooLong()) }
    context.fireChannelRead(data)
  }
}
