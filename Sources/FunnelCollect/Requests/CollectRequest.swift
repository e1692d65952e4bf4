package import FunnelModel

/// A request of a client, with its body inflated.
package struct CollectRequest: Sendable {
  /// The method, in upper case.
  package var method: String
  /// The decoded segments of the path, without an empty one at the end.
  package var path: [String]
  /// The decoded parameters of the query, in order.
  package var query: [(name: String, value: String?)]
  /// The headers in order, with names in lower case.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]
  /// The time at which the server received the head of the request. A slow body does not make a clock wrong.
  package var receivedAt: Timestamp

  package init(
    method: String, path: [String], query: [(name: String, value: String?)] = [], headers: [(name: String, value: String)] = [],
    body: [UInt8] = [], receivedAt: Timestamp
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.receivedAt = receivedAt
  }

  /// Returns the value of the first header with a name in lower case, or `nil` if there is none.
  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// Returns the value of the first parameter of the query with a name, or `nil` if there is none.
  func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
}

/// The answer to a request.
package struct CollectAnswer: Sendable {
  package var status: Int
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  /// Creates an answer with a body of one type.
  init(_ status: Int, type: String, _ body: [UInt8]) {
    self.status = status
    headers = [("Content-Type", type)]
    self.body = body
  }

  /// Creates an answer of JSON.
  static func json(_ status: Int = 200, _ body: String) -> CollectAnswer {
    CollectAnswer(status, type: "application/json", Array(body.utf8))
  }

  /// Creates an answer of plain text.
  static func text(_ body: String) -> CollectAnswer { CollectAnswer(200, type: "text/plain", Array(body.utf8)) }
}

/// A refusal of a whole request. Nothing of the request is kept.
package struct CollectRefusal: Error, Hashable, Sendable {
  package let status: Int
  /// The reason. It never repeats the key or any of the body.
  package let message: String

  package init(_ status: Int, _ message: String) {
    precondition((400...599).contains(status), "a refusal has the status of an error")
    self.status = status
    self.message = message
  }

  /// Returns the refusal of a body that is not of the shape that the path needs.
  static func notABatch(_ message: String) -> CollectRefusal { CollectRefusal(400, message) }

  /// The answer, which all clients of JSON can read: `code` is the status as a number, which Amplitude's client for Python reads
  /// instead of it; `status` is Mixpanel's; `detail` is PostHog's.
  package var answer: CollectAnswer {
    var text: [UInt8] = []
    text.appendJSONString(message)
    let message = String(decoding: text, as: UTF8.self)
    return .json(
      status, #"{"code":\#(status),"status":0,"error":\#(message),"message":\#(message),"detail":\#(message)}"# + "\n")
  }
}
