import FunnelModel

/// A request head, with what the server itself needs of its headers.
struct RequestHead {
  /// The way in which the end of the body is found (RFC 9112, 6).
  enum Framing: Equatable {
    /// There is no body.
    case none
    /// The number of bytes, more than 0, of which a number that is too large for an integer is the largest one.
    case length(Int)
    case chunked
  }

  let upload: UploadHead
  /// The time at which the head had arrived.
  let receivedAt: Timestamp
  let framing: Framing
  /// Whether the client expects that the connection stays open after the response.
  let isKeptAlive: Bool
  /// Whether the client waits for an interim response before it sends the body.
  let expectsContinue: Bool
  /// The minor version of HTTP/1.
  let minorVersion: Int

  /// The longest `Content-Length` in digits that fits into an integer for certain.
  private static let lengthDigitsMax = 18

  /// - Throws: A refusal if the headers contradict each other, or request what the server does not have.
  init(_ upload: UploadHead, minorVersion: Int, receivedAt: Timestamp) throws(UploadRefusal) {
    self.upload = upload
    self.receivedAt = receivedAt
    self.minorVersion = minorVersion
    let options = upload.list(named: "connection")
    isKeptAlive = minorVersion == 0 ? options == ["keep-alive"] : !options.contains("close")
    framing = try Self.framing(upload, minorVersion: minorVersion)
    expectsContinue = minorVersion > 0 && framing != .none && upload.list(named: "expect") == ["100-continue"]
  }

  private static func framing(_ upload: UploadHead, minorVersion: Int) throws(UploadRefusal) -> Framing {
    let lengths = upload.headers(named: "content-length")
    let codings = upload.headers(named: "transfer-encoding")
    if !codings.isEmpty {
      guard lengths.isEmpty else { throw .conflictingLengths }
      // HTTP/1.0 has no chunks: a proxy of that version would not know where the body ends.
      guard minorVersion > 0 else { throw .malformedHead }
      guard upload.list(named: "transfer-encoding") == ["chunked"] else { throw .unknownTransferEncoding }
      return .chunked
    }
    guard let length = lengths.first else { return .none }
    guard lengths.count == 1, !length.contains(",") else { throw .conflictingLengths }
    guard !length.isEmpty, length.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      throw .malformedHead
    }
    let digits = length.drop { $0 == "0" }
    if digits.isEmpty { return .none }
    return .length(digits.count <= lengthDigitsMax ? Int(digits) ?? .max : .max)
  }

  /// An upper bound of the memory of the head.
  var memoryBytes: Int {
    // The target is there as sent and decoded. An element of a list is two strings at most; a short text is stored inside of them.
    let copies = 2
    let elementBytes = 2 * MemoryLayout<String?>.size + MemoryLayout<Int>.size
    let elements = upload.headers.count + upload.parameters.count + upload.path.count
    let textBytes = upload.headers.reduce(upload.target.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    // Arrays grow by doubling.
    return copies * (textBytes + elementBytes * elements)
  }
}
