import NIOCore

extension UploadConnection {
  /// The interim response that tells a client to send its body (RFC 9110, 15.2.1).
  private static let interimResponse = "HTTP/1.1 100 Continue\r\n\r\n"

  /// Receives the response of the service to a request.
  func answer(_ context: ChannelHandlerContext, _ id: Int, _ response: ServerResponse) {
    // The connection may have closed.
    guard context.channel.isActive, let index = exchanges.firstIndex(where: { $0.id == id }) else { return }
    guard case .pending = exchanges[index].progress else { preconditionFailure("a request is answered once") }
    let reservation = MemoryReservation(shared.budget)
    do throws(UploadRefusal) {
      try reservation.add(response.body.count)
      exchanges[index].progress = .answered(response, reservation)
    } catch {
      // Responses that clients do not read occupy the memory of the others.
      exchanges[index].progress = .answered(shared.service.refusal(error, of: nil), reservation)
    }
    writeResponses(context)
    advance(context)
  }

  /// Writes the responses that are due.
  func writeResponses(_ context: ChannelHandlerContext) {
    while let exchange = exchanges.first, case .answered(let response, let reservation) = exchange.progress {
      exchanges.removeFirst()
      unsentCount += 1
      deadlines.response = .now() + TimeAmount(limits.responseTime)
      let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      let bytes = exchange.bytes(of: response, context.channel.allocator)
      context.writeAndFlush(wrapOutboundOut(bytes)).whenComplete { result in
        withExtendedLifetime(reservation) {
          let (handler, context) = handler.value
          guard case .success = result else { return context.close(promise: nil) }
          handler.completeResponse(context, exchange.sequel)
        }
      }
    }
    writeContinue(context)
  }

  /// Writes the interim response of the current request, after the responses of those before it.
  func writeContinue(_ context: ChannelHandlerContext) {
    guard isContinueDue, exchanges.isEmpty else { return }
    isContinueDue = false
    context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: Self.interimResponse)), promise: nil)
  }

  /// Continues after a response was sent.
  private func completeResponse(_ context: ChannelHandlerContext, _ sequel: Exchange.Sequel) {
    unsentCount -= 1
    deadlines.response = unsentCount > 0 ? .now() + TimeAmount(limits.responseTime) : nil
    switch sequel {
    case .keep: break
    case .close: return shared.connections.close(context.channel)
    case .drain:
      setWaiting(true, context)
      deadlines.drain = .now() + TimeAmount(limits.drainTime)
      context.close(mode: .output, promise: nil)
    }
    advance(context)
  }
}
