import NIOCore
import NIOHTTP1

/// The channel handler of one connection: passes each request to the service and writes the response.
///
/// Requests are served one at a time. A client that pipelines gets the first response, then the connection closes.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    /// Waiting for a request or for the remainder of it. The head is `nil` until it has arrived.
    case receiving(HTTPRequestHead?, body: [UInt8])
    /// The service is computing the response, or it is being written. `isKept`: keep the connection open afterwards.
    case responding(Task<Void, Never>, isKept: Bool)
    /// The connection is closed, or closes after the last write.
    case closing
  }

  private let service: any ServerService
  private let limits: ServerLimits
  private let head: RequestHeadLimit
  private let connections: OpenConnections
  private var state = State.receiving(nil, body: [])
  /// The timer that closes the connection, or `nil` before the channel is active.
  private var deadline: Scheduled<Void>?

  init(service: any ServerService, limits: ServerLimits, head: RequestHeadLimit, connections: OpenConnections) {
    self.service = service
    self.limits = limits
    self.head = head
    self.connections = connections
  }

  func channelActive(context: ChannelHandlerContext) {
    expectRequest(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    // The client has disconnected.
    if case .responding(let task, _) = state { task.cancel() }
    state = .closing
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .receiving(let begun, var body) = state else {
      // The client pipelines: close the connection after the current response.
      if case .responding(let task, _) = state { state = .responding(task, isKept: false) }
      return
    }
    switch unwrapInboundIn(data) {
    case .head(let received):
      head.beginAnew()
      state = .receiving(received, body: [])
    case .body(var part):
      body += part.readBytes(length: part.readableBytes) ?? []
      guard body.count <= limits.bodyBytes else { return reject(context, 413, "the body is too long") }
      state = .receiving(begun, body: body)
    case .end:
      guard let begun else { return }
      respond(context, to: begun, body: body)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard case .receiving = state else { return context.close(promise: nil) }
    switch error {
    case is RequestHeadLimit.TooLong, HTTPParserError.headerOverflow: reject(context, 431, "the request's header is too long")
    case HTTPParserError.invalidMethod where head.method != nil: rejectMethod(context, head.method ?? "")
    // The HTTP/2 connection preface parses as a request with the method `PRI`.
    case is HTTPParserError where head.method == "PRI": rejectMethod(context, "PRI")
    case is HTTPParserError: reject(context, 400, "not an HTTP/1.1 request")
    default: context.close(promise: nil)
    }
  }
}

extension ConnectionHandler {
  /// Starts the timeout for receiving a request.
  private func expectRequest(_ context: ChannelHandlerContext) {
    schedule(context, in: .seconds(Int64(limits.requestSeconds)))
  }

  /// Replaces the deadline: the connection closes after a time.
  private func schedule(_ context: ChannelHandlerContext, in time: TimeAmount) {
    deadline?.cancel()
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }

  /// Starts a task that passes a complete request to the service and sends the response.
  private func respond(_ context: ChannelHandlerContext, to head: HTTPRequestHead, body: [UInt8]) {
    guard head.version == .http1_1 || head.version == .http1_0 else { return reject(context, 505, "not HTTP/1.1") }
    guard let target = ServerRequest.target(head.uri) else {
      // For a target that is not a path, such as in `OPTIONS *`, a method that is not allowed is the more useful error.
      if !service.methods.contains(head.method.rawValue) { return rejectMethod(context, head.method.rawValue) }
      return reject(context, 400, "not a path, \(head.method) PATH?QUERY")
    }
    deadline?.cancel()
    connections.setWaiting(false, context.channel)
    let request = ServerRequest(
      method: head.method.rawValue, path: target.path, parameters: target.parameters,
      headers: head.headers.map { ($0.name.lowercased(), $0.value) }, body: body)
    let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let service = service
    let eventLoop = context.eventLoop
    // A client waits for the response, so it has priority over background work of the process.
    let task = Task(priority: .high) {
      let response = await service.response(to: request)
      guard !Task.isCancelled else { return }
      eventLoop.execute {
        let (handler, context) = handler.value
        handler.send(context, response, isHead: head.method == .HEAD)
      }
    }
    state = .responding(task, isKept: head.isKeepAlive)
  }

  /// Rejects an invalid request and closes the connection, because the start of the next request is unknown.
  private func reject(_ context: ChannelHandlerContext, _ status: Int, _ reason: String) {
    reject(context, ServerResponse(status: status, text: reason))
  }

  /// Rejects a request for its method, before the service receives it.
  private func rejectMethod(_ context: ChannelHandlerContext, _ method: String) {
    reject(
      context,
      ServerResponse(
        status: 405, text: "\(method): not one of the methods allowed here",
        headers: [("Allow", service.methods.joined(separator: ", "))]))
  }

  private func reject(_ context: ChannelHandlerContext, _ response: ServerResponse) {
    state = .responding(Task {}, isKept: false)
    send(context, response, isHead: false)
  }

  /// Writes a response, then waits for the next request or closes the connection.
  ///
  /// - Parameter isHead: Whether the request's method is `HEAD`, whose response has no body.
  private func send(_ context: ChannelHandlerContext, _ response: ServerResponse, isHead: Bool) {
    guard case .responding(_, let isKept) = state, context.channel.isActive else { return }
    var headers = HTTPHeaders(response.headers + SecurityHeaders.common)
    if !headers.contains(name: "Content-Security-Policy") {
      headers.add(name: "Content-Security-Policy", value: SecurityHeaders.contentPolicy)
    }
    // A 304 response has no body and needs no length (RFC 9110, 8.6).
    if response.status != 304 { headers.add(name: "Content-Length", value: String(response.body.count)) }
    if !isKept { headers.add(name: "Connection", value: "close") }
    schedule(context, in: .seconds(Int64(limits.responseSeconds)))
    let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: response.status), headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if !isHead, !response.body.isEmpty, response.status != 304 {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: response.body)))), promise: nil)
    }
    let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { result in
      let (handler, context) = handler.value
      guard case .success = result, isKept, case .responding(_, true) = handler.state else {
        return handler.connections.close(context.channel)
      }
      handler.state = .receiving(nil, body: [])
      handler.connections.setWaiting(true, context.channel)
      handler.expectRequest(context)
    }
    if !isKept { state = .closing }
  }
}
