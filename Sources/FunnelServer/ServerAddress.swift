public import FunnelModel
import NIOCore

/// The address that a server listens on.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// An IPv4 or IPv6 address, or a host name.
  public let host: String
  public let port: Int

  /// Reads `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
  ///
  /// - Throws: `usage` if it is none of them.
  public init(_ text: String) throws(FunnelError) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]), (0...65535).contains(port),
      let host = Self.host(text[..<colon])
    else {
      throw FunnelError(
        .usage, "not an address, --listen \(text.printable), write it as 127.0.0.1:8080, [::1]:8080 or localhost:8080")
    }
    (self.host, self.port) = (host, port)
  }

  init(host: String, port: Int) {
    (self.host, self.port) = (host, port)
  }

  /// Returns a host without its brackets, or nil if the text is none.
  private static func host(_ text: Substring) -> String? {
    if text.hasPrefix("["), text.hasSuffix("]") {
      let inner = String(text.dropFirst().dropLast())
      return inner.contains(":") ? inner : nil
    }
    return isName(text) ? text.lowercased() : nil
  }

  private static func isName(_ text: some StringProtocol) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Whether only programs of this machine reach the address.
  public var isLoopback: Bool { host == "localhost" || host == "::1" || (host.hasPrefix("127.") && isAddress) }

  /// Whether the host is an address and no name.
  private var isAddress: Bool { (try? SocketAddress(ipAddress: host, port: port)) != nil }

  /// The host and the port as a browser names them.
  public var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  /// Returns the host and the port that a `Host` header names (RFC 9110, 7.2), or nil if it is not valid. Without a port it is 80.
  public static func named(byHeader text: String) -> ServerAddress? {
    let hasPort = text.hasPrefix("[") ? text.contains("]:") : text.contains(":")
    return try? ServerAddress(hasPort ? text : "\(text):80")
  }
}
