/// An HTTP response. The server adds the headers common to all responses (``SecurityHeaders``).
package struct ServerResponse: Sendable {
  package var status: Int
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    precondition((200...599).contains(status), "\(status) is not the status of a response")
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates a plain text response of one line. A line feed is appended.
  package init(status: Int, text: String, headers: [(name: String, value: String)] = []) {
    self.init(
      status: status, headers: [("Content-Type", "text/plain; charset=utf-8")] + headers, body: Array("\(text)\n".utf8))
  }
}

/// The application behind a server, which responds to its requests.
package protocol ServerService: Sendable {
  /// Returns the response to a request. Its task is cancelled if the client disconnects.
  func response(to request: ServerRequest) async -> ServerResponse

  /// The methods that some path allows. They become the `Allow` header if a request cannot be parsed because of its method.
  var methods: [String] { get }
}

extension ServerService {
  package var methods: [String] { ["GET", "HEAD"] }
}
