#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A connection to a server on this machine, byte by byte: requests that no library would send can be sent.
package final class LoopbackClient {
  private let descriptor: Int32

  /// Connects to a port of 127.0.0.1.
  package init(port: Int) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    guard result == 0 else { throw Failure.refused }
    // A test that waits for what never comes ends; on a machine full of other tests a response may take its time.
    var patience = timeval(tv_sec: 300, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  package enum Failure: Error {
    case refused
  }

  deinit { close(descriptor) }

  package func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends bytes. Returns `false` if the server has closed the connection.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      #if canImport(Glibc)
        let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      #else
        let count = rest.withUnsafeBytes { Darwin.send(descriptor, $0.baseAddress, $0.count, 0) }
      #endif
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Closes the client's side of the connection. Responses can still be read.
  package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Reads until the server closes the connection.
  package func readToEnd() -> Response {
    var bytes: [UInt8] = []
    while let more = read() { bytes += more }
    return Response(bytes)
  }

  /// Reads what comes next; nil at the end.
  package func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  /// Sends one request and reads the response.
  package static func response(
    _ method: String = "GET", _ target: String, port: Int, host: String? = nil, headers: [String] = [], body: String = ""
  ) throws -> Response {
    let client = try LoopbackClient(port: port)
    let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
    let lines =
      ["\(method) \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close"] + length + headers
    client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    return client.readToEnd()
  }

  /// A response, as it came.
  package struct Response {
    package let status: Int
    package let head: String
    package let body: [UInt8]

    package init(_ bytes: [UInt8]) {
      let end = bytes.indices.first { bytes[$0...].starts(with: Array("\r\n\r\n".utf8)) } ?? bytes.endIndex
      head = String(decoding: bytes[..<end], as: UTF8.self)
      body = Array(bytes[min(end + 4, bytes.endIndex)...])
      status = Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the value of a header.
    package func header(_ name: String) -> String? {
      for line in head.split(separator: "\r\n").dropFirst() {
        guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else { continue }
        return String(line[line.index(after: colon)...].drop { $0 == " " })
      }
      return nil
    }
  }
}
