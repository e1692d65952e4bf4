package import FunnelModel
package import FunnelSystem

/// The application behind an ``UploadServer``, which decides which requests are read and answers them.
///
/// The server calls all methods on its event loops. They must return soon: work is done on other threads.
package protocol UploadService: Sendable {
  /// Decides from the head alone whether a request is read.
  func admission(of head: UploadHead) -> UploadAdmission

  /// Answers a complete request.
  ///
  /// - Parameter answer: Sends the response. It may be called later and from any thread, but exactly once.
  func take(_ request: UploadRequest, answer: @escaping @Sendable (ServerResponse) -> Void)

  /// Returns the response to a request that the server itself refuses.
  ///
  /// - Parameter head: The head of the request, or `nil` if it could not be read.
  func refusal(_ refusal: UploadRefusal, of head: UploadHead?) -> ServerResponse
}

/// The decision of a service about a request whose head was received.
package enum UploadAdmission: Sendable {
  /// The request is not read. This is the response.
  case refused(ServerResponse)
  /// The request is read if its body has no content encoding, or one of these.
  case read(Set<UploadEncoding>)
}

/// A content encoding of a body (RFC 9110, 8.4.1). A body without one is always allowed.
package enum UploadEncoding: String, Hashable, Sendable, CaseIterable {
  case gzip
  /// Deflate with the header of zlib, or without it, as some clients send it.
  case deflate
  case zstd
}

/// The request line and the headers of a request.
package struct UploadHead: Sendable {
  package var method: String
  /// The target as sent.
  package var target: String
  /// The percent-decoded segments of the path, without the empty one after a trailing slash. Empty for `/`.
  package var path: [String]
  /// The percent-decoded query parameters in order. A value is `nil` if the parameter has no equals sign.
  package var parameters: [(name: String, value: String?)]
  /// The headers in order, with lowercase names.
  package var headers: [(name: String, value: String)]

  package init(
    method: String, target: String, path: [String], parameters: [(name: String, value: String?)] = [],
    headers: [(name: String, value: String)] = []
  ) {
    self.method = method
    self.target = target
    self.path = path
    self.parameters = parameters
    self.headers = headers
  }

  /// Returns the values of all headers with a name, which must be lowercase.
  package func headers(named name: String) -> [String] {
    assert(name == name.lowercased(), "the names of headers are in lower case")
    return headers.filter { $0.name == name }.map(\.value)
  }

  /// Returns the members of all headers with a name whose value is a list separated by commas, in lowercase.
  func list(named name: String) -> [String] {
    headers(named: name).flatMap { $0.split(separator: ",") }
      .map { $0.lowercased().trimmingBlanks() }.filter { !$0.isEmpty }
  }
}

/// A complete request.
package struct UploadRequest: Sendable {
  package let head: UploadHead
  /// The body without its content encoding.
  package let body: PaddedBytes
  /// The size in bytes of the body as sent.
  package let receivedBytes: Int
  /// The time at which the head of the request had arrived. The body may have come long after it.
  package let receivedAt: Timestamp
  /// Counts the memory of the request, until the last copy of the request is released.
  let reservation: MemoryReservation
}

extension StringProtocol {
  /// Returns the text without spaces and tabs at its ends.
  func trimmingBlanks() -> String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
