/// The limits on a client of the server. All defaults are far above what a browser needs.
package struct ServerLimits: Sendable {
  /// The largest number of open connections. A further one replaces an idle connection, or is closed
  /// immediately if none is idle.
  package var connections = 256
  /// The largest size in bytes of a request line and its headers together.
  package var headBytes = 32 * 1024
  /// The largest size in bytes of a request body.
  package var bodyBytes = 4 * 1024
  /// The largest number of headers of a request.
  package var headerFields = 100
  /// The time in seconds to receive a request, counted from the connection or from the previous response.
  package var requestSeconds = 15
  /// The time in seconds to send a response.
  package var responseSeconds = 30

  package init() {}
}
