import NIOCore

/// Parses the head of one HTTP/1 request (RFC 9112, 2 to 5) that arrives in pieces.
///
/// The server has its own parser, not that of NIOHTTP1, for two reasons. It stops after each request and leaves the next one in
/// the buffer, so that a client that pipelines thousands of small requests occupies no more memory than their bytes. And
/// it distinguishes all refusals and counts the exact size of a head.
///
/// It is as strict as the standard allows, because a proxy in front and this server must see the same requests.
struct RequestHeadParser {
  private struct RequestLine {
    let method: String
    let target: String
    let minorVersion: Int
  }

  private let bytesMax: Int
  private let fieldsMax: Int
  private var lines = LineReader()
  /// The number of bytes of the complete lines.
  private var bytes = 0
  private var requestLine: RequestLine?
  private var fields: [(name: String, value: String)] = []

  /// The methods that some service may know. Others are refused with 501 (RFC 9110, 9.1).
  private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]

  init(_ limits: UploadLimits) {
    bytesMax = limits.headBytes
    fieldsMax = limits.headerFields
  }

  /// Parses as much as there is, and removes it from the buffer. Returns the head and the minor version of HTTP/1 once the head
  /// is complete.
  mutating func parse(_ input: inout ByteBuffer) throws(UploadRefusal) -> (head: UploadHead, minorVersion: Int)? {
    while true {
      let line: [UInt8]
      switch lines.next(&input, bytesMax: bytesMax - bytes) {
      case .incomplete: return nil
      case .tooLong: throw requestLine == nil ? .targetTooLong : .headTooLarge
      case .malformed: throw .malformedHead
      case .line(let read): line = read
      }
      bytes += line.count + 2
      guard let requestLine else {
        // Empty lines may precede a request (RFC 9112, 2.2).
        if !line.isEmpty { requestLine = try Self.requestLine(line) }
        continue
      }
      if line.isEmpty { return (try head(requestLine), requestLine.minorVersion) }
      guard fields.count < fieldsMax else { throw .headTooLarge }
      fields.append(try Self.field(line))
    }
  }

  private func head(_ line: RequestLine) throws(UploadRefusal) -> UploadHead {
    guard let target = ServerRequest.target(line.target) else { throw .malformedHead }
    let path = target.path.last == "" ? target.path.dropLast() : target.path
    return UploadHead(
      method: line.method, target: line.target, path: path, parameters: target.parameters, headers: fields)
  }

  private static func requestLine(_ line: [UInt8]) throws(UploadRefusal) -> RequestLine {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, isToken(parts[0]), !parts[1].isEmpty, parts[1].allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .malformedHead
    }
    let minorVersion = try minorVersion(parts[2])
    let method = String(decoding: parts[0], as: UTF8.self)
    guard methods.contains(method) else { throw .unknownMethod }
    return RequestLine(method: method, target: String(decoding: parts[1], as: UTF8.self), minorVersion: minorVersion)
  }

  /// Returns the minor version of a text such as `HTTP/1.1`.
  private static func minorVersion(_ text: ArraySlice<UInt8>) throws(UploadRefusal) -> Int {
    let digits = text.dropFirst("HTTP/".utf8.count)
    guard text.starts(with: "HTTP/".utf8), digits.count == 3, let major = digits.first, let minor = digits.last,
      isDigit(major), isDigit(minor), digits.dropFirst().first == UInt8(ascii: ".")
    else { throw .malformedHead }
    switch (major, minor) {
    case (UInt8(ascii: "1"), UInt8(ascii: "1")): return 1
    case (UInt8(ascii: "1"), UInt8(ascii: "0")): return 0
    default: throw .unknownVersion
    }
  }

  private static func field(_ line: [UInt8]) throws(UploadRefusal) -> (name: String, value: String) {
    // A line that continues the previous one begins with a blank, which no token contains.
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else { throw .malformedHead }
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let value = line[(colon + 1)...].drop(while: isBlank)
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }) else { throw .malformedHead }
    let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? value.startIndex
    return (String(decoding: line[..<colon], as: UTF8.self).lowercased(), String(decoding: value[..<end], as: UTF8.self))
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Whether the bytes are a token (RFC 9110, 5.6.2).
  private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(RequestHeadLimit.isTokenByte)
  }
}
