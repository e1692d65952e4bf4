/// A request, as far as read-only pages need it.
public struct ServerRequest: Sendable {
  public var method: String
  /// The parts of the path between slashes, decoded; empty for `/`.
  public var path: [String]
  /// The parameters of the query in their order, decoded. The value is nil where there is no equals sign.
  public var parameters: [(name: String, value: String?)]
  /// The headers in their order, names in lower case.
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]

  public init(
    method: String, path: [String], parameters: [(name: String, value: String?)] = [],
    headers: [(name: String, value: String)] = [], body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.parameters = parameters
    self.headers = headers
    self.body = body
  }

  /// Returns the values of a header.
  public func headers(named name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
}

extension ServerRequest {
  /// Returns the path and the parameters of a request's target in origin form (RFC 9112, 3.2.1), or nil if it is not one, or not text.
  static func target(_ text: String) -> (path: [String], parameters: [(name: String, value: String?)])? {
    guard text.utf8.first == UInt8(ascii: "/"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
    else {
      return nil
    }
    let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path: [String] = []
    for part in halves[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let decoded = decoded(part, plusIsBlank: false) else { return nil }
      path.append(decoded)
    }
    if path == [""] { path = [] }
    guard let parameters = halves.count > 1 ? parameters(halves[1]) : [] else { return nil }
    return (path, parameters)
  }

  /// Returns the parameters of a form or of a query, `a=1&b=2` (URL Standard, 5.1), or nil if they are not text.
  public static func parameters(_ text: some StringProtocol) -> [(name: String, value: String?)]? {
    var parameters: [(name: String, value: String?)] = []
    for pair in text.split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(sides[0], plusIsBlank: true) else { return nil }
      guard sides.count > 1 else {
        parameters.append((name, nil))
        continue
      }
      guard let value = decoded(sides[1], plusIsBlank: true) else { return nil }
      parameters.append((name, value))
    }
    return parameters
  }

  private static func decoded(_ text: some StringProtocol, plusIsBlank: Bool) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "+") where plusIsBlank: bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(hexadecimal), let low = rest.next().flatMap(hexadecimal) else { return nil }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    let result = String(decoding: bytes, as: UTF8.self)
    return result.utf8.elementsEqual(bytes) ? result : nil
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
