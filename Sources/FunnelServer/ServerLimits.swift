/// What a client may cost. All of it is far more than a browser needs.
public struct ServerLimits: Sendable {
  /// The number of connections at a time. A further one takes the place of one that waits for its client, or is closed at once.
  public var connections = 256
  /// The size in bytes of a request's line and headers together, and of its body.
  public var headBytes = 32 * 1024
  public var bodyBytes = 4 * 1024
  public var headerFields = 100
  /// The time in seconds that a client has to send a request, from the connection or from the response before.
  public var requestSeconds = 15
  /// The time in seconds that a client has to take a response.
  public var responseSeconds = 30

  public init() {}
}
