import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server on this machine that answers requests one after another, as a test tells it to.
final class TestServer: Sendable {
  struct Request: Sendable {
    var line: String
    var headers: [String: String]
    /// The events of the body, which `gzip -dc` reads if it is compressed.
    var events: [String]
  }

  /// An answer, by the number of the request, from 0 on. Without one, the connection is closed.
  typealias Answers = @Sendable (_ number: Int, Request) -> String?

  let url: URL
  let requests = Guarded<[Request]>([])
  private let descriptor: Int32

  /// Returns an answer with a status and further header lines, by default with a body as that of `funnel collect`.
  static func answer(_ status: Int, _ headers: String..., body: String? = nil) -> String {
    let refusal = #"{"code":\#(status),"status":0,"error":"no","message":"no","detail":"no"}"#
    let body = body ?? (status == 200 ? #"{"accepted":1,"rejected":[]}"# : refusal)
    let lines = ["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
  }

  /// Starts a server.
  ///
  /// - Parameter isResetting: Whether a connection is reset before anything is read of it.
  init(resetting isResetting: @escaping @Sendable () -> Bool = { false }, _ answers: @escaping Answers) throws {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    struct Failed: Error {}
    guard isListening else { throw Failed() }
    self.descriptor = descriptor
    url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")!
    let requests = requests
    Thread.detachNewThread {
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return }
        if isResetting() {
          var option = linger(l_onoff: 1, l_linger: 0)
          setsockopt(connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        } else if let request = Self.read(connection) {
          let number = requests.withLock { requests in
            requests.append(request)
            return requests.count - 1
          }
          if let answer = answers(number, request) { Self.write(answer, to: connection) }
        }
        close(connection)
      }
    }
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }

  private static func read(_ connection: Int32) -> Request? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let end = headerEnd(of: bytes) {
        let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        let headers = Dictionary(
          lines.dropFirst().compactMap { line in
            line.firstIndex(of: ":").map { colon in
              (line[..<colon].lowercased(), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces))
            }
          }, uniquingKeysWith: { $1 })
        let body = bytes[(end + 4)...]
        if body.count >= Int(headers["content-length"] ?? "0") ?? 0 {
          let isCompressed = headers["content-encoding"] == "gzip"
          let events = isCompressed ? try? gunzipped(Array(body)) : Array(body)
          let text = String(decoding: events ?? [], as: UTF8.self)
          return Request(line: lines[0], headers: headers, events: text.split(separator: "\n").map(String.init))
        }
      }
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      bytes += chunk[..<count]
    }
  }

  private static func headerEnd(of bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (0...(bytes.count - 4)).first { bytes[$0..<($0 + 4)].elementsEqual("\r\n\r\n".utf8) }
  }

  private static func gunzipped(_ body: [UInt8]) throws -> [UInt8] {
    let folder = try TemporaryFolder(isInMemory: true)
    try folder.write(body, to: "body.gz")
    return try gunzip(folder.path("body.gz"))
  }

  private static func write(_ text: String, to connection: Int32) {
    let bytes = Array(text.utf8)
    #if canImport(Glibc)
      _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    #else
      _ = send(connection, bytes, bytes.count, 0)
    #endif
  }
}
