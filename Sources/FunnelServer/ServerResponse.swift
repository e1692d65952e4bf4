/// A response. The server adds the headers that all responses have.
public struct ServerResponse: Sendable {
  public var status: Int
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]

  public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates a response of one line of text.
  public init(status: Int, text: String, headers: [(name: String, value: String)] = []) {
    self.init(
      status: status, headers: [("Content-Type", "text/plain; charset=utf-8")] + headers, body: Array("\(text)\n".utf8))
  }
}

/// Answers requests. A request whose client went away is cancelled.
public protocol ServerService: Sendable {
  func response(to request: ServerRequest) async -> ServerResponse

  /// The methods that are allowed at any path, told where a request has another one and can't be read.
  var methods: [String] { get }
}

extension ServerService {
  public var methods: [String] { ["GET", "HEAD"] }
}
