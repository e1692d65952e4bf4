import NIOCore
import NIOHTTP1

/// A request that was received, and its response.
struct Exchange {
  /// What happens to the connection after the response.
  enum Sequel {
    case keep
    case close
    /// The client may still be sending: the connection is read before it is closed, so that the client can read the response.
    case drain
  }

  enum Progress {
    /// The service has not answered yet.
    case pending
    case answered(ServerResponse, MemoryReservation)
  }

  let id: Int
  /// Whether the method of the request is `HEAD`, whose response has no body.
  let isHead: Bool
  let minorVersion: Int
  var sequel: Sequel
  var progress: Progress

  /// Returns a response as it is sent.
  func bytes(of response: ServerResponse, _ allocator: ByteBufferAllocator) -> ByteBuffer {
    let reason = HTTPResponseStatus(statusCode: response.status).reasonPhrase
    var head = "HTTP/1.1 \(response.status) \(reason)\r\n"
    for header in response.headers { head += "\(header.name): \(header.value)\r\n" }
    // Responses with these statuses have no body (RFC 9110, 8.6).
    let hasBody = response.status != 204 && response.status != 304
    if hasBody { head += "Content-Length: \(response.body.count)\r\n" }
    switch sequel {
    case .close, .drain: head += "Connection: close\r\n"
    case .keep where minorVersion == 0: head += "Connection: keep-alive\r\n"
    case .keep: break
    }
    head += "\r\n"
    let body = hasBody && !isHead ? response.body : []
    var buffer = allocator.buffer(capacity: head.utf8.count + body.count)
    buffer.writeString(head)
    buffer.writeBytes(body)
    return buffer
  }
}
