/// The reason why an ``UploadServer`` refuses a request itself.
package enum UploadRefusal: Error, Hashable, Sendable, CaseIterable {
  /// The request line or a header violates the format.
  case malformedHead
  /// The framing of a chunked body violates the format.
  case malformedChunk
  /// The request has two lengths, or a length beside chunks.
  case conflictingLengths
  /// The body does not inflate, is incomplete, or continues after the end of the compressed data.
  case corruptBody
  /// The request did not arrive in time.
  case timedOut
  /// The body is too long, as sent or inflated.
  case bodyTooLarge
  /// The request line is too long.
  case targetTooLong
  /// The content encoding is unknown, or not allowed for this request.
  case unsupportedEncoding
  /// The headers are too long or too many.
  case headTooLarge
  case unknownMethod
  case unknownTransferEncoding
  /// The requests in progress already occupy the memory that they may occupy.
  case overload
  case unknownVersion

  /// The status of the response.
  package var status: Int {
    switch self {
    case .malformedHead, .malformedChunk, .conflictingLengths, .corruptBody: 400
    case .timedOut: 408
    case .bodyTooLarge: 413
    case .targetTooLong: 414
    case .unsupportedEncoding: 415
    case .headTooLarge: 431
    case .unknownMethod, .unknownTransferEncoding: 501
    case .overload: 503
    case .unknownVersion: 505
    }
  }

  /// The reason as a phrase for people. It contains nothing of the request.
  package var reason: String {
    switch self {
    case .malformedHead: "not an HTTP/1.1 request"
    case .malformedChunk: "the body's chunks are malformed"
    case .conflictingLengths: "the request has conflicting lengths"
    case .corruptBody: "the compressed body is corrupt"
    case .timedOut: "the request did not arrive in time"
    case .bodyTooLarge: "the body is too large"
    case .targetTooLong: "the request line is too long"
    case .unsupportedEncoding: "the content encoding is not supported"
    case .headTooLarge: "the request's header is too large"
    case .unknownMethod: "unknown method"
    case .unknownTransferEncoding: "unknown transfer encoding"
    case .overload: "too many requests in progress"
    case .unknownVersion: "unknown version of HTTP"
    }
  }
}
