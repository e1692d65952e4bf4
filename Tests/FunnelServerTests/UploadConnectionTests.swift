import Foundation
import FunnelServer
import FunnelTestSupport
import Testing

/// Connections: their order, their number and their end.
@Suite struct UploadConnectionTests {
  private static func post(_ path: String, _ body: String, _ headers: String = "") -> String {
    "POST /\(path) HTTP/1.1\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
  }

  @Test func `responses come in the order of the requests, whatever the order of the answers`() async throws {
    try await UploadTestServer.run { server throws in
      let client = try server.client()
      let bodies = ["a", "bb", "ccc"]
      client.send(bodies.map { Self.post("reversed", $0) }.joined() + Self.post("a", "dddd", "Connection: close\r\n"))
      let text = client.read(until: "POST", times: 5)
      let sizes = text.components(separatedBy: "POST [").dropFirst().map { $0.split(separator: " ")[1] }
      #expect(sizes == ["1", "2", "3", "4"], "\(text)")
    }
  }

  @Test func `only a few requests of a connection are in progress`() async throws {
    try await UploadTestServer.run { server throws in
      let client = try server.client()
      client.send((0..<50).map { _ in Self.post("held", "x") }.joined())
      #expect(UploadTestServer.waits { server.service.takenCount == 4 })
      usleep(50_000)
      #expect(server.service.takenCount == 4)
      for _ in 0..<50 {
        server.service.release()
        usleep(20_000)
      }
      #expect(
        UploadTestServer.waits {
          server.service.release()
          return server.service.takenCount == 50
        })
      server.service.release()
      #expect(client.read(until: "HTTP/1.1 200", times: 50).components(separatedBy: "HTTP/1.1 200").count == 51)
    }
  }

  @Test func `many small requests on one connection are all answered`() async throws {
    try await UploadTestServer.run { server throws in
      let count = 20_000
      let client = try server.client()
      let requests = (0..<count).map { _ in "GET /missing HTTP/1.1\r\n\r\n" }.joined()
      Sending(client, requests + "GET /a HTTP/1.1\r\nConnection: close\r\n\r\n").start()
      let text = client.read(until: "GET")
      #expect(text.components(separatedBy: "HTTP/1.1 404").count == count + 1)
    }
  }

  @Test func `HEAD has no body, and HTTP 1.0 closes unless asked`() async throws {
    try await UploadTestServer.run { server throws in
      let head = try server.response("HEAD /a HTTP/1.1\r\nConnection: close")
      #expect(head.status == 200 && head.body.isEmpty && head.header("content-length") != "0")
      #expect(try server.response("GET /a HTTP/1.0").header("connection") == "close")
      let client = try server.client()
      client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      #expect(client.read(until: "GET").contains("Connection: keep-alive"))
      client.send("GET /a HTTP/1.1\r\n\r\n")
      #expect(!client.read(until: "GET").contains("Connection:"))
    }
  }

  @Test func `a client that waits is told to send its body, only if it will be read`() async throws {
    try await UploadTestServer.run { server throws in
      let expect = "Expect: 100-continue\r\n"
      let client = try server.client()
      client.send("POST /a HTTP/1.1\r\nContent-Length: 5\r\n\(expect)\r\n")
      #expect(client.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      client.send("hello")
      #expect(client.read(until: "POST").hasPrefix("HTTP/1.1 200"))
      // The interim response comes after the response to the request before.
      client.send(Self.post("held", "x") + "POST /a HTTP/1.1\r\nContent-Length: 5\r\n\(expect)\r\n")
      #expect(UploadTestServer.waits { server.service.takenCount == 2 })
      server.service.release()
      let text = client.read(until: "100 Continue\r\n\r\n")
      #expect(text.hasPrefix("HTTP/1.1 200"), "\(text)")
      for (head, status) in [
        ("POST /missing HTTP/1.1\r\nContent-Length: 5", 404), ("POST /a HTTP/1.1\r\nContent-Length: 999999999", 413),
        ("POST /a HTTP/1.1\r\nContent-Length: 5\r\nContent-Encoding: br", 415),
      ] {
        #expect(try server.response("\(head)\r\n\(expect)".trimmingCharacters(in: .newlines)).status == status)
      }
    }
  }

  @Test func `a client may close its side before it reads the responses`() async throws {
    try await UploadTestServer.run { server throws in
      let client = try server.client()
      client.send((0..<10).map { _ in Self.post("a", "x") }.joined() + "POST /a HTTP/1.1\r\nContent-Le")
      client.finishSending()
      #expect(client.read(until: "HTTP/1.1 200", times: 100).components(separatedBy: "HTTP/1.1 200").count == 11)
      #expect(server.service.takenCount == 10)
    }
  }

  @Test func `a body that is cut by its client is not passed to the service, and its memory is released`() async throws {
    try await UploadTestServer.run { server throws in
      for _ in 0..<20 {
        let client = try server.client()
        client.send("POST /a HTTP/1.1\r\nContent-Length: 50000\r\n\r\n")
        client.send([UInt8](repeating: 1, count: 40_000))
      }
      let held = try server.client()
      held.send(Self.post("held", "x"))
      #expect(UploadTestServer.waits { server.service.takenCount == 1 })
      held.finishSending()
      server.service.release()
      #expect(UploadTestServer.waits { server.server.bufferedBytes == 0 })
      #expect(server.service.takenCount == 1)
    }
  }

  @Test func `a client that does not read its responses is left`() async throws {
    try await UploadTestServer.run({
      $0.responseTime = .seconds(1)
      $0.bufferedBytes = 20 << 20
    }) { server throws in
      let client = try server.client()
      client.send((0..<50).map { _ in Self.post("long", "x") }.joined())
      // No more are computed than may be in progress.
      #expect(UploadTestServer.waits { server.service.takenCount >= 1 })
      #expect(UploadTestServer.waits { server.server.bufferedBytes == 0 })
      #expect(server.service.takenCount < 50)
      #expect(try server.post([1]).status == 200)
    }
  }

  @Test func `at the limit of connections the one longest idle makes room`() async throws {
    try await UploadTestServer.run { server throws in
      let idle = try (0..<1_100).map { _ in try server.client() }
      #expect(try server.post([1]).status == 200)
      #expect(idle[0].read() == nil)
      idle[1_099].send("GET /a HTTP/1.1\r\n\r\n")
      #expect(idle[1_099].read(until: "GET").hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test func `a connection whose request is in progress is not closed for another`() async throws {
    try await UploadTestServer.run({ $0.connections = 3 }) { server throws in
      let busy = try (0..<2).map { _ in try server.client() }
      for client in busy { client.send(Self.post("held", "x", "Connection: close\r\n")) }
      #expect(UploadTestServer.waits { server.service.takenCount == 2 })
      for _ in 0..<10 { #expect(try server.post([1]).status == 200) }
      server.service.release()
      for client in busy { #expect(client.readToEnd().status == 200) }
    }
  }

  @Test func `an idle connection is closed after its time`() async throws {
    try await UploadTestServer.run({ $0.idleTime = .seconds(1) }) { server throws in
      let client = try server.client()
      client.send("GET /a HTTP/1.1\r\n\r\n")
      #expect(client.readToEnd().status == 200)
      #expect(try server.client().read() == nil)
    }
  }

  @Test func `a server that stops answers the requests in progress, and closes idle connections`() async throws {
    let server = try UploadTestServer()
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            let idle = try server.client()
            let held = try server.client()
            held.send(Self.post("held", "x"))
            let slow = try server.client()
            slow.send("POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\na")
            #expect(UploadTestServer.waits { server.service.admittedCount == 2 && server.service.takenCount == 1 })
            let stopped = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
              server.server.stop(within: .seconds(60))
              stopped.signal()
            }
            #expect(idle.read() == nil)
            #expect(throws: LoopbackClient.Failure.self) { try server.client() }
            slow.send("b")
            #expect(slow.readToEnd().status == 200)
            server.service.release()
            #expect(held.readToEnd().status == 200)
            stopped.wait()
          })
      }
    }
  }

  @Test func `a server stops in time, whatever the clients and the service do`() async throws {
    let server = try UploadTestServer()
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            let held = try server.client()
            held.send(Self.post("held", "x"))
            let slow = try server.client()
            slow.send("POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\na")
            #expect(UploadTestServer.waits { server.service.admittedCount == 2 && server.service.takenCount == 1 })
            server.server.stop(within: .milliseconds(200))
            #expect(held.read() == nil && slow.read() == nil)
            // A late answer is dropped.
            server.service.release()
          })
      }
    }
  }
}

/// Sends in a thread of its own, while another one reads.
private final class Sending: @unchecked Sendable {
  private let client: LoopbackClient
  private let text: String

  init(_ client: LoopbackClient, _ text: String) {
    self.client = client
    self.text = text
  }

  func start() { Thread.detachNewThread { [self] in client.send(text) } }
}
