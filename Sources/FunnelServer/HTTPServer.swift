public import FunnelModel
import NIOCore
import NIOHTTP1
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A server of HTTP/1.1 for a service of read-only pages.
///
/// It knows nothing of what is served. Each connection has one request at a time; sizes, times and the number of connections are
/// limited, so that a slow or hostile client costs next to nothing. TLS is a matter of a proxy in front.
public final class HTTPServer: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let listener: any Channel
  private let connections: OpenConnections
  /// The address with the port that was chosen where none was asked for.
  public let address: ServerAddress

  /// Starts to listen, and answers requests from now on.
  ///
  /// - Parameter service: Makes the service for the address, whose port may have been chosen by the system.
  /// - Throws: `inputOutput` if the address can't be listened on.
  public init(
    address: ServerAddress, limits: ServerLimits = ServerLimits(),
    service: @escaping @Sendable (ServerAddress) -> any ServerService
  ) throws(FunnelError) {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let connections = OpenConnections(max: limits.connections)
    let chosen = ChosenService()
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
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
      let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "the host name has no address"
      throw FunnelError(.inputOutput, "can't listen on \(address), \(reason), choose another address with --listen")
    }
    self.group = group
    self.connections = connections
    self.address = ServerAddress(host: address.host, port: listener.localAddress?.port ?? address.port)
    chosen.choose(service(self.address))
  }

  /// Stops: takes no more connections, and closes those that there are. Requests under way are cancelled.
  public func stop() {
    try? listener.close().wait()
    connections.closeAll()
    try? group.syncShutdownGracefully()
  }
}
