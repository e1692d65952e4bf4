import NIOCore
import NIOHTTP1

/// Takes the requests of one connection, one after the other, and sends the responses.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    /// Waits for a request or for the rest of it.
    case receiving(HTTPRequestHead?, body: [UInt8])
    case responding(Task<Void, Never>, isKept: Bool)
    case closing
  }

  private let service: any ServerService
  private let limits: ServerLimits
  private let head: RequestHeadLimit
  private let connections: OpenConnections
  private var state = State.receiving(nil, body: [])
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
    // Nobody waits for the response any more.
    if case .responding(let task, _) = state { task.cancel() }
    state = .closing
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .receiving(let begun, var body) = state else {
      // A client that sends its next request before it has its response gets this response and no other.
      if case .responding(let task, _) = state { state = .responding(task, isKept: false) }
      return
    }
    switch unwrapInboundIn(data) {
    case .head(let received):
      head.beginAnew()
      state = .receiving(received, body: [])
    case .body(var part):
      body += part.readBytes(length: part.readableBytes) ?? []
      guard body.count <= limits.bodyBytes else { return refuse(context, 413, "the body is too long") }
      state = .receiving(begun, body: body)
    case .end:
      guard let begun else { return }
      respond(context, to: begun, body: body)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard case .receiving = state else { return context.close(promise: nil) }
    switch error {
    case is RequestHeadLimit.TooLong, HTTPParserError.headerOverflow: refuse(context, 431, "the request's header is too long")
    case HTTPParserError.invalidMethod where head.method != nil: refuseMethod(context, head.method ?? "")
    // The preface of HTTP/2 is a request with a method that HTTP/1.1 does not have.
    case is HTTPParserError where head.method == "PRI": refuseMethod(context, "PRI")
    case is HTTPParserError: refuse(context, 400, "not an HTTP/1.1 request")
    default: context.close(promise: nil)
    }
  }
}

extension ConnectionHandler {
  /// Gives the client its time to send a request.
  private func expectRequest(_ context: ChannelHandlerContext) {
    schedule(context, in: .seconds(Int64(limits.requestSeconds)))
  }

  /// Closes the connection after some time.
  private func schedule(_ context: ChannelHandlerContext, in time: TimeAmount) {
    deadline?.cancel()
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }

  private func respond(_ context: ChannelHandlerContext, to head: HTTPRequestHead, body: [UInt8]) {
    guard head.version == .http1_1 || head.version == .http1_0 else { return refuse(context, 505, "not HTTP/1.1") }
    guard let target = ServerRequest.target(head.uri) else {
      // What asks for no path, such as `OPTIONS *`, is told first that it may not.
      if !service.methods.contains(head.method.rawValue) { return refuseMethod(context, head.method.rawValue) }
      return refuse(context, 400, "not a path, \(head.method) PATH?QUERY")
    }
    deadline?.cancel()
    connections.setWaiting(false, context.channel)
    let request = ServerRequest(
      method: head.method.rawValue, path: target.path, parameters: target.parameters,
      headers: head.headers.map { ($0.name.lowercased(), $0.value) }, body: body)
    let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let (service, eventLoop) = (service, context.eventLoop)
    // Somebody waits for it: it goes before what the process does in the background, and not after all of that.
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

  /// Refuses what is no request, and closes the connection: nobody knows where the next one begins.
  private func refuse(_ context: ChannelHandlerContext, _ status: Int, _ reason: String) {
    refuse(context, ServerResponse(status: status, text: reason))
  }

  /// Refuses a method before the service sees the request.
  private func refuseMethod(_ context: ChannelHandlerContext, _ method: String) {
    refuse(
      context,
      ServerResponse(
        status: 405, text: "\(method): not one of the methods allowed here",
        headers: [("Allow", service.methods.joined(separator: ", "))]))
  }

  private func refuse(_ context: ChannelHandlerContext, _ response: ServerResponse) {
    state = .responding(Task {}, isKept: false)
    send(context, response, isHead: false)
  }

  private func send(_ context: ChannelHandlerContext, _ response: ServerResponse, isHead: Bool) {
    guard case .responding(_, let isKept) = state, context.channel.isActive else { return }
    var headers = HTTPHeaders(response.headers + ServerHeaders.common)
    if !headers.contains(name: "Content-Security-Policy") {
      headers.add(name: ServerHeaders.policy.0, value: ServerHeaders.policy.1)
    }
    // Without a body there is no length to tell (RFC 9110, 8.6).
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
        return context.close(promise: nil)
      }
      handler.state = .receiving(nil, body: [])
      handler.connections.setWaiting(true, context.channel)
      handler.expectRequest(context)
    }
    if !isKept { state = .closing }
  }
}
