package import FunnelModel
import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A host and a port that a server listens on.
package struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// An IPv4 address, an IPv6 address without brackets, or a host name.
  package let host: String
  package let port: Int

  private static let ports = 0...65_535
  private static let defaultPort = 80

  /// Parses an address such as `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
  ///
  /// - Throws: `usage` if the text is not in one of these forms.
  package init(_ text: String) throws(FunnelError) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]), Self.ports.contains(port),
      let host = Self.host(text[..<colon])
    else {
      throw FunnelError(
        .usage, "not an address, --listen \(text.printable), write it as 127.0.0.1:8080, [::1]:8080 or localhost:8080")
    }
    self.host = host
    self.port = port
  }

  init(host: String, port: Int) {
    precondition(Self.ports.contains(port), "\(port) is not a port")
    self.host = host
    self.port = port
  }

  /// Returns a host without the brackets of an IPv6 address, or `nil` if the text is not a host.
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

  /// Whether the address can be reached only from this machine.
  package var isLoopback: Bool { host == "localhost" || host == "::1" || (host.hasPrefix("127.") && isAddress) }

  /// Whether the host is an IP address, not a name.
  private var isAddress: Bool { (try? SocketAddress(ipAddress: host, port: port)) != nil }

  /// The host and the port as in a URL, with brackets around an IPv6 address.
  package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  /// Returns the address in a `Host` header (RFC 9110, 7.2), or `nil` if the header is not valid. The default port is 80.
  package static func named(byHeader text: String) -> ServerAddress? {
    let hasPort = text.hasPrefix("[") ? text.contains("]:") : text.contains(":")
    return try? ServerAddress(hasPort ? text : "\(text):\(defaultPort)")
  }
  /// Returns the error to report if the address can't be listened on.
  func listenError(_ cause: any Error) -> FunnelError {
    let reason = (cause as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "the host name has no address"
    return FunnelError(.inputOutput, "can't listen on \(self), \(reason), choose another address with --listen")
  }
}
