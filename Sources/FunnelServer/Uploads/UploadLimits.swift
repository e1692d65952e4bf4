/// The limits on the clients of an ``UploadServer``.
///
/// Together they bound the memory of the process: ``bufferedBytes`` limits everything whose size a client chooses, and
/// each connection has a buffer of ``readBytes`` and the unread bytes of one request head in addition.
package struct UploadLimits: Sendable {
  /// The largest number of open connections. A further one replaces the connection that has been idle longest, or is
  /// closed immediately if none is idle.
  package var connections = 1_024
  /// The largest size in bytes of a request line and its headers together.
  package var headBytes = 16 * 1_024
  /// The largest number of headers of a request, and of trailers of a chunked body.
  package var headerFields = 100
  /// The largest size in bytes of a body as sent, without the framing of chunks.
  package var bodyBytes = 20 << 20
  /// The largest size in bytes of an inflated body.
  package var inflatedBytes = 64 << 20
  /// The largest ratio of inflated to compressed bytes, at every moment of a body.
  package var inflationRatio = 100
  /// The number of inflated bytes from which on ``inflationRatio`` applies.
  package var inflationRatioFromBytes = 1 << 20
  /// The largest number of bytes that all requests and responses in progress occupy together. A request that needs more is
  /// refused.
  package var bufferedBytes = 96 << 20
  /// The largest number of requests of one connection that are in progress. Further ones are not read.
  package var pipelinedRequests = 4
  /// The time to receive a request, counted from its first byte.
  package var requestTime = Duration.seconds(30)
  /// The time to send a response.
  package var responseTime = Duration.seconds(30)
  /// The time that an idle connection is kept open.
  package var idleTime = Duration.seconds(75)
  /// The largest number of bytes that are read and dropped after a refusal, so that a client that sends its whole request
  /// first can read the response.
  package var drainedBytes = 64 << 20
  /// The time that a connection is kept open for reading after the response to a refused request.
  package var drainTime = Duration.seconds(10)
  /// The size in bytes of one read from a connection.
  package var readBytes = 16 * 1_024

  package init() {}
}
