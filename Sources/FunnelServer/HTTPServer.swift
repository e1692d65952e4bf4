package import FunnelModel
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix

/// An HTTP/1.1 server for read-only pages, built on swift-nio.
///
/// A connection has one request at a time. Sizes, times and the number of connections are limited
/// (``ServerLimits``), which bounds the cost of a slow or hostile client. For TLS, put a reverse proxy in front.
package final class HTTPServer: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let listener: any Channel
  private let connections: OpenConnections
  /// The address that the server listens on. Its port is the one the system chose if port 0 was requested.
  package let address: ServerAddress

  /// The length of the kernel's queue of connections that are not accepted yet.
  private static let backlog: Int32 = 128

  /// Binds the address and starts to serve requests.
  ///
  /// - Parameters:
  ///   - address: The address to listen on. With port 0, the system chooses a port.
  ///   - limits: The limits for each client.
  ///   - service: Creates the service for the bound address.
  /// - Throws: `inputOutput` if the address cannot be bound.
  package init(
    address: ServerAddress, limits: ServerLimits = ServerLimits(),
    service: @escaping @Sendable (ServerAddress) -> any ServerService
  ) throws(FunnelError) {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let connections = OpenConnections(max: limits.connections)
    let chosen = ChosenService()
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: Self.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          // A client may connect between the bind and the choice of the service.
          guard connections.open(channel), let service = chosen.service else {
            channel.close(promise: nil)
            return
          }
          var decoder = NIOHTTPDecoderLimitConfiguration()
          decoder.maxHeaderFieldSize = limits.headBytes
          decoder.maxHeaderListSize = limits.headBytes
          decoder.maxHeaderFieldCount = limits.headerFields
          let head = RequestHeadLimit(bytesMax: limits.headBytes)
          try channel.pipeline.syncOperations.addHandler(head)
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: decoder)
          try channel.pipeline.syncOperations.addHandler(
            ConnectionHandler(service: service, limits: limits, head: head, connections: connections))
        }
      }
    do {
      listener = try bootstrap.bind(host: address.host, port: address.port).wait()
    } catch {
      try? group.syncShutdownGracefully()
      throw address.listenError(error)
    }
    self.group = group
    self.connections = connections
    self.address = ServerAddress(host: address.host, port: listener.localAddress?.port ?? address.port)
    chosen.choose(service(self.address))
  }

  /// Stops listening and closes every connection. Requests in progress are cancelled.
  package func stop() {
    try? listener.close().wait()
    connections.closeAll()
    try? group.syncShutdownGracefully()
  }
}

/// The service of a server, set once the server listens.
///
/// The service needs the address, whose port the system may choose.
private final class ChosenService: Sendable {
  private let box = NIOLockedValueBox<(any ServerService)?>(nil)

  /// The service, or `nil` until ``choose(_:)`` is called.
  var service: (any ServerService)? { box.withLockedValue { $0 } }

  /// Sets the service.
  func choose(_ service: any ServerService) { box.withLockedValue { $0 = service } }
}
