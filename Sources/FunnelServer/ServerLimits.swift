/// The limits on a client of the server. All defaults are far above what a browser needs.
public struct ServerLimits: Sendable {
  /// The largest number of open connections. A further one replaces an idle connection, or is closed
  /// immediately if none is idle.
  public var connections = 256
  /// The largest size in bytes of a request line and its headers together.
  public var headBytes = 32 * 1024
  /// The largest size in bytes of a request body.
  public var bodyBytes = 4 * 1024
  /// The largest number of headers of a request.
  public var headerFields = 100
  /// The time in seconds to receive a request, counted from the connection or from the previous response.
  public var requestSeconds = 15
  /// The time in seconds to send a response.
  public var responseSeconds = 30

  public init() {}
}
