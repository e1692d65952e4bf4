import Foundation
import FunnelModel
import FunnelServer
import FunnelTestSupport
import Testing

/// What clients may send, and what they can't do to the server.
@Suite struct HTTPServerTests {
  /// Answers with what it was asked; `/slow` never does.
  private struct Echo: ServerService {
    let cancelled: Flag

    func response(to request: ServerRequest) async -> ServerResponse {
      if request.path == ["slow"] {
        while !Task.isCancelled { try? await Task.sleep(nanoseconds: 1_000_000) }
        cancelled.set()
      }
      let parameters = request.parameters.map { "\($0.name)=\($0.value ?? "nil")" }.joined(separator: ";")
      return ServerResponse(
        status: 200, text: "\(request.method) \(request.path) \(parameters) \(String(decoding: request.body, as: UTF8.self))")
    }
  }

  private final class Flag: Sendable {
    private let state = State()
    private actor State {
      var isSet = false
      func set() { isSet = true }
    }
    func set() { Task { await state.set() } }
    var isSet: Bool { get async { await state.isSet } }
  }

  /// Calls what waits for a server of this process in a thread of its own: the server's tasks need those that tests run in.
  private func apart(
    from server: HTTPServer? = nil, _ body: @escaping @Sendable (_ port: Int) throws -> Void
  ) async throws {
    let port = (server ?? self.server).address.port
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread { continuation.resume(with: Result { try body(port) }) }
    }
  }

  private let server: HTTPServer
  private let cancelled = Flag()

  init() throws {
    server = try Self.server(cancelled: cancelled)
  }

  private static func server(cancelled: Flag, requestSeconds: Int = 60) throws -> HTTPServer {
    var limits = ServerLimits()
    limits.requestSeconds = requestSeconds
    limits.connections = 20
    let echo = Echo(cancelled: cancelled)
    return try HTTPServer(address: ServerAddress("127.0.0.1:0"), limits: limits) { _ in echo }
  }

  @Test(arguments: [
    "BREW / HTTP/1.1", "get / HTTP/1.1", "\r\nX-Y! /a HTTP/1.1", "OPTIONS * HTTP/1.1", "PRI * HTTP/2.0", "CONNECT a:1 HTTP/1.1",
  ])
  func `a method that is not known is told with those that are allowed`(line: String) async throws {
    defer { server.stop() }
    try await apart { port in
      let client = try LoopbackClient(port: port)
      client.send("\(line)\r\nHost: a\r\n\r\n")
      let response = client.readToEnd()
      #expect(response.status == 405 && response.header("allow") == "GET, HEAD", "\(line): \(response.head)")
    }
  }

  @Test(arguments: ["garbage", "\u{16}\u{3}\u{1} / HTTP/1.1", "GET  HTTP/1.1", "<a> / HTTP/1.1"])
  func `what is no request is told as such`(line: String) async throws {
    defer { server.stop() }
    try await apart { port in
      let client = try LoopbackClient(port: port)
      client.send("\(line)\r\nHost: a\r\n\r\n")
      #expect(client.readToEnd().status == 400, "\(line)")
    }
  }

  @Test func `a request is answered, with the headers that all responses have`() async throws {
    defer { server.stop() }
    try await apart { port in
      let response = try LoopbackClient.response("GET", "/a%20b/c?x=1%2B1&y&z=a+b", port: port)
      #expect(response.status == 200)
      #expect(response.text == "GET [\"a b\", \"c\"] x=1+1;y=nil;z=a b \n")
      #expect(response.header("x-content-type-options") == "nosniff")
      #expect(response.header("content-security-policy")?.hasPrefix("default-src 'none'") == true)
      #expect(response.header("connection") == "close")
    }
  }

  @Test func `one connection takes several requests, one after the other`() async throws {
    defer { server.stop() }
    try await apart { port in
      let client = try LoopbackClient(port: port)
      for number in 1...3 {
        client.send("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
        var text = ""
        while !text.contains("[\"\(number)\"]"), let more = client.read() { text += String(decoding: more, as: UTF8.self) }
        #expect(text.hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test func `HEAD has the headers of GET and no body`() async throws {
    defer { server.stop() }
    try await apart { port in
      let get = try LoopbackClient.response("GET", "/a", port: port)
      let head = try LoopbackClient.response("HEAD", "/a", port: port)
      #expect(head.body.isEmpty)
      #expect(get.status == 200 && head.status == 200)
      let lengths = [get, head].map { $0.header("content-length").flatMap { Int($0) } ?? 0 }
      // The answer tells the method, which is one letter longer.
      #expect(lengths[0] > 0 && lengths[1] == lengths[0] + 1)
    }
  }

  @Test(arguments: [
    "nonsense\r\n\r\n", "GET / HTTP/9.9\r\nHost: x\r\n\r\n", "GET  HTTP/1.1\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
  ])
  func `what is no request is refused, and the connection closed`(text: String) async throws {
    defer { server.stop() }
    try await apart { port in
      let client = try LoopbackClient(port: port)
      client.send(text)
      let response = client.readToEnd()
      #expect([400, 505].contains(response.status), "\(response.head)")
    }
  }

  @Test func `a head or a body that is too long is refused`() async throws {
    defer { server.stop() }
    try await apart { port in
      let long = String(repeating: "a", count: 40_000)
      do {
        let status = try LoopbackClient.response("GET", "/\(long)\(long)", port: port).status
        #expect([0, 400, 414, 431].contains(status))
      }
      do {
        let status = try LoopbackClient.response("GET", "/", port: port, headers: ["X: \(long)"]).status
        #expect([0, 431].contains(status))
      }
      let many = (0..<200).map { "X\($0): 1" }
      do {
        let status = try LoopbackClient.response("GET", "/", port: port, headers: many).status
        #expect([0, 400, 431].contains(status))
      }
      #expect(try LoopbackClient.response("POST", "/", port: port, body: String(long.prefix(5_000))).status == 413)
      #expect(try LoopbackClient.response("GET", "/", port: port).status == 200)
    }
  }

  @Test func `a client that takes its time is left, and others are answered meanwhile`() async throws {
    server.stop()
    let server = try Self.server(cancelled: cancelled, requestSeconds: 3)
    defer { server.stop() }
    try await apart(from: server) { port in
      let slow = try LoopbackClient(port: port)
      slow.send("GET / HTTP/1.1\r\nHost: x\r\n")
      #expect(try LoopbackClient.response("GET", "/", port: port).status == 200)
      #expect(slow.read() == nil)
    }
  }

  @Test func `connections beyond the limit are closed, and there is room again when others end`() async throws {
    defer { server.stop() }
    try await apart { port in
      var clients = try (0..<30).map { _ in try LoopbackClient(port: port) }
      for client in clients { client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") }
      let answered = clients.count { $0.readToEnd().status == 200 }
      #expect((1...30).contains(answered))
      clients = []
      #expect(try LoopbackClient.response("GET", "/", port: port).status == 200)
    }
  }

  @Test func `connections without a request keep nobody out`() async throws {
    defer { server.stop() }
    try await apart { port in
      let idle = try (0..<20).map { _ in try LoopbackClient(port: port) }
      for client in idle { client.send("GET / HTTP/1.1\r\n") }
      for _ in 0..<5 { #expect(try LoopbackClient.response("GET", "/", port: port).status == 200) }
      // The one that waited longest made room.
      #expect(idle[0].read() == nil)
    }
  }

  @Test func `a request whose client goes away is cancelled`() async throws {
    try await apart { port in
      let client = try LoopbackClient(port: port)
      client.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try LoopbackClient.response("GET", "/", port: port).status == 200)
    }
    for _ in 0..<2000 where await !cancelled.isSet { try await Task.sleep(nanoseconds: 5_000_000) }
    #expect(await cancelled.isSet)
    server.stop()
  }

  @Test func `an address that is taken can't be listened on`() throws {
    defer { server.stop() }
    let port = server.address.port
    let error = #expect(throws: FunnelError.self) {
      try HTTPServer(address: ServerAddress("127.0.0.1:\(port)")) { _ in Echo(cancelled: Flag()) }
    }
    #expect(error?.code == .inputOutput)
  }

  @Test(arguments: [
    ("127.0.0.1:80", true), ("localhost:8080", true), ("[::1]:1", true), ("127.8.8.8:1", true), ("0.0.0.0:80", false),
    ("[::]:80", false), ("192.168.1.1:80", false), ("127.evil.example:80", false), ("localhost.example:80", false),
  ])
  func `loopback is this machine alone`(address: String, isLoopback: Bool) throws {
    #expect(try ServerAddress(address).isLoopback == isLoopback)
    #expect(try ServerAddress(address).description == address)
    server.stop()
  }

  @Test(arguments: ["", "80", "127.0.0.1", "127.0.0.1:", "a b:80", "::1:80", "[]:80", "x:70000", "x:-1", "http://x:80"])
  func `what is no address is a usage error`(text: String) throws {
    let error = #expect(throws: FunnelError.self) { try ServerAddress(text) }
    #expect(error?.code == .usage)
    server.stop()
  }
}
