import FunnelModel

/// The names under which a server can be reached, against which the `Host` header of each request is checked.
///
/// A foreign name is a sign of DNS rebinding: a page of another site that reads from this server through the browser.
package struct HostCheck: Sendable {
  private let address: ServerAddress
  /// Additional names in lower case, each with or without a port.
  private let names: Set<String>

  /// - Parameters:
  ///   - address: The address that the server listens on.
  ///   - names: Additional host names, for example of a proxy.
  package init(address: ServerAddress, names: [String]) {
    self.address = address
    self.names = Set(names.map { $0.lowercased() })
  }

  /// Returns an error response unless the request has exactly one `Host` header, with a name of the server.
  package func rejection(of request: ServerRequest) -> ServerResponse? {
    let hosts = request.headers(named: "host")
    guard hosts.count == 1, let named = ServerAddress.named(byHeader: hosts[0]) else {
      return ServerResponse(status: 400, text: "exactly one valid Host header is needed")
    }
    guard !isOwn(named) else { return nil }
    return ServerResponse(
      status: 421, text: "this server is not called \(hosts[0].printable), start it with --host to allow this name")
  }

  private func isOwn(_ named: ServerAddress) -> Bool {
    if names.contains(named.host) || names.contains(named.description) { return true }
    return named.port == address.port && (named.host == address.host || named.host == "localhost" && address.isLoopback)
  }
}
