import NIOCore

/// The channel handler of one connection: reads requests, passes them to the service and writes the responses in their order.
///
/// It reads only what it can use: while too many requests are in progress or the client does not read its responses, the
/// bytes remain in the kernel.
final class UploadConnection: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The element of the protocol that the next byte belongs to.
  enum Phase {
    /// A request head, or nothing yet.
    case head(RequestHeadParser)
    case body(RequestHead, BodyReader)
    /// Bytes after a refused request, which are dropped, and the number of them that may still be read.
    case dropped(Int)
    /// Nothing: no further request is read.
    case ended
  }

  let shared: Shared
  var phase: Phase
  /// The bytes that were read from the connection but not used.
  var input = ByteBuffer()
  /// The requests whose response was not written, in their order.
  var exchanges: [Exchange] = []
  /// The number of responses that were written but not sent.
  var unsentCount = 0
  var deadlines = ConnectionDeadlines()
  private var nextID = 0
  /// Whether the channel has asked for a read that is not done yet.
  private var isReadPending = false
  /// Whether the client has closed its side.
  private var isInputClosed = false
  /// Whether the server stops.
  private var isFinishing = false
  /// Whether the interim response for the current request has to be sent.
  var isContinueDue = false
  /// Whether the connection counts as waiting for a request.
  private var isWaiting = true
  private var isAdvancing = false

  var limits: UploadLimits { shared.limits }

  init(_ shared: Shared) {
    self.shared = shared
    phase = .head(RequestHeadParser(shared.limits))
  }

  // MARK: Events

  func channelActive(context: ChannelHandlerContext) {
    advance(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    phase = .ended
    exchanges = []
    input = ByteBuffer()
    deadlines.removeTimer()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    if input.readableBytes == 0 { input = bytes } else { input.writeBuffer(&bytes) }
    advance(context)
  }

  func read(context: ChannelHandlerContext) {
    isReadPending = true
    readIfWanted(context)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    advance(context)
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case ChannelEvent.inputClosed:
      isInputClosed = true
      advance(context)
    case is Finish:
      isFinishing = true
      advance(context)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

// MARK: - Reading

extension UploadConnection {
  /// Whether another request may begin.
  private func mayBegin(_ context: ChannelHandlerContext) -> Bool {
    !isFinishing && exchanges.count + unsentCount < limits.pipelinedRequests && context.channel.isWritable
  }

  /// Whether a request was received in part.
  private var hasBegun: Bool { deadlines.request != nil }

  private func wantsInput(_ context: ChannelHandlerContext) -> Bool {
    switch phase {
    case .head: hasBegun || mayBegin(context)
    case .body: true
    case .dropped(let remaining): remaining > 0
    case .ended: false
    }
  }

  private func readIfWanted(_ context: ChannelHandlerContext) {
    guard isReadPending, wantsInput(context) else { return }
    isReadPending = false
    context.read()
  }

  /// Uses as much of the input as possible, then closes the connection or sets its deadlines.
  func advance(_ context: ChannelHandlerContext) {
    // Sending a response may complete immediately, and call this method again.
    guard !isAdvancing, context.channel.isActive else { return }
    isAdvancing = true
    while step(context) {}
    isAdvancing = false
    settle(context)
  }

  /// Uses the next element of the input. Returns `false` if there is nothing to use.
  private func step(_ context: ChannelHandlerContext) -> Bool {
    var head: UploadHead?
    do throws(UploadRefusal) {
      switch phase {
      case .head(var parser):
        guard input.readableBytes > 0, hasBegun || mayBegin(context) else { return false }
        if !hasBegun { deadlines.request = .now() + TimeAmount(limits.requestTime) }
        guard let received = try parser.parse(&input) else {
          phase = .head(parser)
          return false
        }
        head = received.head
        try begin(
          context, try RequestHead(received.head, minorVersion: received.minorVersion, receivedAt: shared.clock()))
      case .body(let received, let reader):
        head = received.upload
        guard try reader.read(&input) else { return false }
        deliver(context, received, try reader.request(received))
      case .dropped(let remaining):
        phase = .dropped(max(0, remaining - input.readableBytes))
        input.clear()
        return false
      case .ended: return false
      }
    } catch {
      refuse(context, error, of: head)
    }
    return true
  }

  /// Decides about a request whose head is complete.
  private func begin(_ context: ChannelHandlerContext, _ head: RequestHead) throws(UploadRefusal) {
    let reservation = MemoryReservation(shared.budget)
    try reservation.add(head.memoryBytes)
    switch shared.service.admission(of: head.upload) {
    case .refused(let response):
      let isComplete = head.framing == .none
      append(head, sequel: !isComplete ? .drain : head.isKeptAlive ? .keep : .close, response)
      endRequest(isComplete ? head.isKeptAlive ? .head(RequestHeadParser(limits)) : .ended : .dropped(limits.drainedBytes))
      writeResponses(context)
    case .read(let encodings):
      let encoding = try Self.encoding(of: head.upload, among: encodings)
      phase = .body(
        head, try BodyReader(head.framing, encoding: encoding, limits: limits, reservation: reservation))
      isContinueDue = head.expectsContinue && input.readableBytes == 0
      writeContinue(context)
    }
  }

  /// Returns the content encoding of a body, or `nil` if it has none.
  private static func encoding(
    of head: UploadHead, among allowed: Set<UploadEncoding>
  ) throws(UploadRefusal) -> UploadEncoding? {
    let named = head.list(named: "content-encoding")
    guard let name = named.first, named != ["identity"] else { return nil }
    // Older clients write `x-gzip` (RFC 9110, 8.4.1.3).
    guard named.count == 1, let encoding = name == "x-gzip" ? .gzip : UploadEncoding(rawValue: name),
      allowed.contains(encoding)
    else { throw .unsupportedEncoding }
    return encoding
  }

  /// Passes a complete request to the service.
  private func deliver(_ context: ChannelHandlerContext, _ head: RequestHead, _ request: UploadRequest) {
    isContinueDue = false
    endRequest(head.isKeptAlive ? .head(RequestHeadParser(limits)) : .ended)
    let id = append(head, sequel: head.isKeptAlive ? .keep : .close, nil)
    setWaiting(false, context)
    let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let loop = context.eventLoop
    let shared = shared
    shared.service.take(request) { response in
      shared.run(on: loop) {
        let (handler, context) = handler.value
        handler.answer(context, id, response)
      }
    }
  }

  /// Ends the reception of a request.
  private func endRequest(_ next: Phase) {
    deadlines.request = nil
    deadlines.idle = nil
    phase = next
  }

  @discardableResult
  private func append(_ head: RequestHead, sequel: Exchange.Sequel, _ response: ServerResponse?) -> Int {
    append(
      isHead: head.upload.method == "HEAD", minorVersion: head.minorVersion, sequel: sequel, response: response)
  }

  private func append(isHead: Bool, minorVersion: Int, sequel: Exchange.Sequel, response: ServerResponse?) -> Int {
    nextID += 1
    let progress = response.map { Exchange.Progress.answered($0, MemoryReservation(shared.budget)) } ?? .pending
    exchanges.append(
      Exchange(id: nextID, isHead: isHead, minorVersion: minorVersion, sequel: sequel, progress: progress))
    return nextID
  }

  /// Refuses the current request. The start of the next one is unknown, so there is none.
  private func refuse(_ context: ChannelHandlerContext, _ refusal: UploadRefusal, of head: UploadHead?) {
    isContinueDue = false
    let response = shared.service.refusal(refusal, of: head)
    _ = append(isHead: head?.method == "HEAD", minorVersion: 1, sequel: .drain, response: response)
    endRequest(.dropped(limits.drainedBytes))
    writeResponses(context)
  }
}

// MARK: - The state between events

extension UploadConnection {
  /// Closes the connection if nothing is left to do on it, or else sets its deadlines and continues to read.
  private func settle(_ context: ChannelHandlerContext) {
    let hasResponses = !exchanges.isEmpty || unsentCount > 0
    if !hasResponses {
      if isInputClosed { return context.close(promise: nil) }
      switch phase {
      case .head where isFinishing && !hasBegun: return context.close(promise: nil)
      case .dropped(0): return context.close(promise: nil)
      case .head where !hasBegun:
        deadlines.idle = deadlines.idle ?? .now() + TimeAmount(limits.idleTime)
      default: deadlines.idle = nil
      }
    } else {
      deadlines.idle = nil
    }
    if case .body = phase { setWaiting(false, context) } else { setWaiting(!hasResponses, context) }
    schedule(context)
    readIfWanted(context)
  }

  /// Records whether the connection waits for a request, if that has changed.
  func setWaiting(_ isWaiting: Bool, _ context: ChannelHandlerContext) {
    guard isWaiting != self.isWaiting else { return }
    self.isWaiting = isWaiting
    shared.connections.setWaiting(isWaiting, context.channel)
  }

  private func schedule(_ context: ChannelHandlerContext) {
    let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    deadlines.schedule(on: context.eventLoop) {
      let (handler, context) = handler.value
      handler.checkDeadlines(context)
    }
  }

  private func checkDeadlines(_ context: ChannelHandlerContext) {
    deadlines.removeTimer()
    guard context.channel.isActive else { return }
    let now = NIODeadline.now()
    let ends = [deadlines.response, deadlines.idle, deadlines.drain]
    if ends.contains(where: { ConnectionDeadlines.isOver($0, at: now) }) { return context.close(promise: nil) }
    if ConnectionDeadlines.isOver(deadlines.request, at: now) {
      var head: UploadHead?
      if case .body(let received, _) = phase { head = received.upload }
      refuse(context, .timedOut, of: head)
    }
    advance(context)
  }
}
