import Foundation
import FunnelServer
import FunnelTestSupport
import Testing

/// Requests that the server refuses itself.
@Suite struct UploadRefusalTests {
  @Test(arguments: [
    ("garbage", UploadRefusal.malformedHead), ("GET  HTTP/1.1", .malformedHead), ("GET / HTTP/1.1 ", .malformedHead),
    ("GET / http/1.1", .malformedHead), ("G<T / HTTP/1.1", .malformedHead), ("GET /%zz HTTP/1.1", .malformedHead),
    ("GET /\u{1} HTTP/1.1", .malformedHead), ("GET http://a/ HTTP/1.1", .malformedHead), ("OPTIONS * HTTP/1.1", .malformedHead),
    ("GET / HTTP/1.1\nHost: a", .malformedHead), ("GET / HTTP/1.1\r\nno colon", .malformedHead),
    ("GET / HTTP/1.1\r\nX : a", .malformedHead), ("GET / HTTP/1.1\r\nX: a\r\n b", .malformedHead),
    ("GET / HTTP/1.1\r\n: a", .malformedHead), ("GET / HTTP/1.1\r\nX: a\rb", .malformedHead),
    ("GET / HTTP/1.1\r\nX: \u{0}", .malformedHead),
    ("BREW / HTTP/1.1", .unknownMethod), ("get / HTTP/1.1", .unknownMethod),
    ("GET / HTTP/2.0", .unknownVersion), ("PRI * HTTP/2.0", .unknownVersion), ("GET / HTTP/1.2", .unknownVersion),
    ("GET / HTTP/0.9", .unknownVersion), ("GET / HTTP/1.10", .malformedHead),
    ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1", .conflictingLengths),
    ("POST / HTTP/1.1\r\nContent-Length: 1, 1", .conflictingLengths),
    ("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked", .conflictingLengths),
    ("POST / HTTP/1.1\r\nContent-Length: -1", .malformedHead), ("POST / HTTP/1.1\r\nContent-Length: +1", .malformedHead),
    ("POST / HTTP/1.1\r\nContent-Length: 0x1", .malformedHead), ("POST / HTTP/1.1\r\nContent-Length:", .malformedHead),
    ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked", .malformedHead),
    ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked", .unknownTransferEncoding),
    ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked, chunked", .unknownTransferEncoding),
    ("POST / HTTP/1.1\r\nTransfer-Encoding: identity", .unknownTransferEncoding),
    ("POST / HTTP/1.1\r\nTransfer-Encoding:", .unknownTransferEncoding),
    ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", .malformedChunk),
    ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", .malformedChunk),
    ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", .malformedChunk),
    ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\na", .malformedChunk),
    ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", .malformedChunk),
    ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1 1\r\na", .malformedChunk),
    ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n", .malformedChunk),
  ])
  func `a request that violates HTTP is refused, and the connection closed`(text: String, refusal: UploadRefusal) async throws {
    try await UploadTestServer.run { server throws in
      let response = try server.response(text)
      #expect(response.status == refusal.status && response.text == "\(refusal)\n", "\(text): \(response.head)")
      #expect(response.header("connection") == "close")
      #expect(server.service.takenCount == 0)
    }
  }

  @Test func `a chunk's line and its trailers are limited`() async throws {
    let head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    try await UploadTestServer.run { server throws in
      for chunk in ["1;\(String(repeating: "x", count: 300))", "0\r\nX: \(String(repeating: "x", count: 20_000))"] {
        #expect(try server.response(head + chunk).status == 400)
      }
      let many = (0..<200).map { "X\($0): 1\r\n" }.joined()
      #expect(try server.response(head + "0\r\n" + many).status == 400)
    }
  }

  @Test func `a head of the largest size is taken, and a larger one is refused`() async throws {
    try await UploadTestServer.run { server throws in
      let line = "GET /a HTTP/1.1\r\nConnection: close\r\n"
      let end = "\r\n\r\n"
      let largest = 16 * 1_024 - line.utf8.count - end.utf8.count
      #expect(try server.response(line + "X: " + String(repeating: "x", count: largest - 3)).status == 200)
      #expect(try server.response(line + "X: " + String(repeating: "x", count: largest - 2)).status == 431)
      #expect(try server.response(line + (0..<200).map { "X\($0): 1" }.joined(separator: "\r\n")).status == 431)
      #expect(try server.response("GET /\(String(repeating: "x", count: 16 * 1_024)) HTTP/1.1").status == 414)
      // Also before the line ends.
      let client = try server.client()
      client.send("GET /\(String(repeating: "x", count: 17 * 1_024))")
      #expect(client.readToEnd().status == 414)
    }
  }

  @Test func `a request that does not arrive in time is refused`() async throws {
    try await UploadTestServer.run({ $0.requestTime = .seconds(1) }) { server throws in
      for begun in ["G", "GET /a HTTP/1.1\r\nX: ", "POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nab"] {
        let response = try {
          let client = try server.client()
          client.send(begun)
          return client.readToEnd()
        }()
        #expect(response.status == 408, "\(begun): \(response.head)")
      }
      #expect(server.service.takenCount == 0)
    }
  }

  @Test func `a slow client does not hold up others`() async throws {
    try await UploadTestServer.run { server throws in
      let slow = try server.client()
      slow.send("POST /a HTTP/1.1\r\nConnection: close\r\nContent-Length: 5\r\n\r\n")
      for byte in Array("hello".utf8) {
        #expect(try server.post([1]).status == 200)
        slow.send([byte])
      }
      #expect(slow.readToEnd().text == EchoUploads.text("a", sent: 5, Array("hello".utf8)))
    }
  }

  @Test func `requests that together need too much memory are refused, and taken again afterwards`() async throws {
    try await UploadTestServer.run({ $0.bufferedBytes = 1 << 20 }) { server throws in
      let half = [UInt8](repeating: 1, count: 400_000)
      let clients = try (0..<2).map { _ in try server.client() }
      for client in clients {
        client.send("POST /held HTTP/1.1\r\nConnection: close\r\nContent-Length: \(half.count)\r\n\r\n")
        client.send(half)
      }
      #expect(UploadTestServer.waits { server.service.takenCount == 2 })
      let refused = try server.post(half)
      #expect(refused.status == 503 && refused.text == "overload\n" && refused.header("x-path") == "a")
      #expect(server.server.bufferedBytes <= 1 << 20)
      server.service.release()
      for client in clients { #expect(client.readToEnd().status == 200) }
      #expect(UploadTestServer.waits { server.server.bufferedBytes == 0 })
      #expect(try server.post(half).status == 200)
    }
  }

  @Test func `a request that the service refuses by its head is answered without its body`() async throws {
    try await UploadTestServer.run { server throws in
      let client = try server.client()
      client.send("GET /missing HTTP/1.1\r\n\r\nPOST /missing HTTP/1.1\r\nContent-Length: 5\r\n\r\nGET /a HTTP/1.1\r\n\r\n")
      let text = String(decoding: client.readToEnd().body, as: UTF8.self)
      // The connection is kept after the first, and closed after the second.
      #expect(text.components(separatedBy: "HTTP/1.1 404").count == 2, "\(text)")
      #expect(server.service.takenCount == 0)
    }
  }
}
