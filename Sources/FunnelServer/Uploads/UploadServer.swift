package import FunnelModel
import NIOCore
import NIOPosix

/// An HTTP/1.1 server that receives uploads, built on swift-nio.
///
///     let server = try UploadServer(address: ServerAddress("127.0.0.1:8090"), service: service, clock: WallClock.now)
///     server.stop(within: .seconds(10))
///
/// Bodies are read and inflated as they arrive. Sizes, times, the number of connections and the memory of all requests together
/// are limited (``UploadLimits``), which bounds the cost of slow or hostile clients. For TLS, put a reverse proxy in front.
package final class UploadServer: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let listener: any Channel
  private let shared: UploadConnection.Shared
  /// The address that the server listens on. Its port is the one the system chose if port 0 was requested.
  package let address: ServerAddress

  /// The length of the kernel's queue of connections that are not accepted yet.
  private static let backlog: Int32 = 1_024

  /// Binds the address and starts to serve requests.
  ///
  /// - Parameters:
  ///   - address: The address to listen on. With port 0, the system chooses a port.
  ///   - threads: The number of event loops.
  ///   - clock: Returns the current time. Each request gets the time at which its head had arrived.
  /// - Throws: `inputOutput` if the address cannot be bound.
  package init(
    address: ServerAddress, limits: UploadLimits = UploadLimits(), threads: Int = 2, service: any UploadService,
    clock: @escaping @Sendable () -> Timestamp
  ) throws(FunnelError) {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
    let shared = UploadConnection.Shared(service: service, limits: limits, clock: clock)
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: Self.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      // A client that has sent its last request may close its side before it reads the response.
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      // Connections keep their buffers: large ones would exceed the memory that the server may occupy.
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: limits.readBytes))
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          guard shared.connections.open(channel) else {
            channel.close(promise: nil)
            return
          }
          try channel.pipeline.syncOperations.addHandler(UploadConnection(shared))
        }
      }
    do {
      listener = try bootstrap.bind(host: address.host, port: address.port).wait()
    } catch {
      try? group.syncShutdownGracefully()
      throw address.listenError(error)
    }
    self.group = group
    self.shared = shared
    self.address = ServerAddress(host: address.host, port: listener.localAddress?.port ?? address.port)
  }

  /// Stops listening and waits until the requests in progress were answered, but no longer than a time.
  ///
  /// Idle connections are closed immediately, and the others after their last response. Responses that come later are dropped.
  /// The call blocks its thread.
  package func stop(within time: Duration) {
    let loop = group.next()
    let deadline = loop.scheduleTask(in: TimeAmount(time)) { [shared] in shared.connections.closeAll() }
    try? listener.close().wait()
    let channels = shared.connections.channels
    for channel in channels { channel.pipeline.fireUserInboundEventTriggered(UploadConnection.Finish()) }
    try? EventLoopFuture.andAllComplete(channels.map(\.closeFuture), on: loop).wait()
    deadline.cancel()
    shared.stop()
    try? group.syncShutdownGracefully()
  }

  /// The number of bytes that requests and responses in progress occupy, for tests.
  package var bufferedBytes: Int { shared.budget.reservedBytes }
}
