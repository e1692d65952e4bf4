import FunnelModel

/// An HTTP request: its method, decoded target, headers and body.
package struct ServerRequest: Sendable {
  package var method: String
  /// The percent-decoded segments of the path. Empty for `/`.
  package var path: [String]
  /// The percent-decoded query parameters in order. A value is `nil` if the parameter has no equals sign.
  package var parameters: [(name: String, value: String?)]
  /// The headers in order, with lowercase names.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(
    method: String, path: [String], parameters: [(name: String, value: String?)] = [],
    headers: [(name: String, value: String)] = [], body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.parameters = parameters
    self.headers = headers
    self.body = body
  }

  /// Returns the values of all headers with a name, which must be lowercase.
  package func headers(named name: String) -> [String] {
    assert(name == name.lowercased(), "the names of headers are in lower case")
    return headers.filter { $0.name == name }.map(\.value)
  }
}

extension ServerRequest {
  /// Returns the path and the query parameters of a request target, or `nil` if it is not in origin form (RFC
  /// 9112, 3.2.1) or does not decode to valid text.
  static func target(_ text: String) -> (path: [String], parameters: [(name: String, value: String?)])? {
    guard text.utf8.first == UInt8(ascii: "/"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
    else {
      return nil
    }
    let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path: [String] = []
    for part in halves[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let decoded = URLText.decoded(part, plus: .literal) else { return nil }
      path.append(decoded)
    }
    if path == [""] { path = [] }
    guard let parameters = halves.count > 1 ? URLText.parameters(halves[1]) : [] else { return nil }
    return (path, parameters)
  }
}
