import FunnelModel
import FunnelServer
import FunnelTestSupport
import Testing

/// Bodies in all framings and encodings, and their limits.
@Suite struct UploadBodyTests {
  private static let lines = UploadBodies.lines(2_000)

  /// A body as sent, its content encoding, and the path that takes it.
  struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let encoding: String?
    let sent: [UInt8]
    var path = "a"
    var testDescription: String { name }
  }

  static let samples: [Sample] = [
    Sample(name: "none", encoding: nil, sent: lines),
    Sample(name: "identity", encoding: "identity", sent: lines),
    Sample(name: "gzip", encoding: "gzip", sent: UploadBodies.gzip(lines)),
    Sample(
      name: "members", encoding: "x-GZIP",
      sent: UploadBodies.gzip(Array(lines.prefix(1_000))) + UploadBodies.gzip([])
        + UploadBodies.gzip(Array(lines.dropFirst(1_000)))),
    Sample(name: "zlib", encoding: "deflate", sent: UploadBodies.zlib(lines)),
    Sample(name: "raw deflate", encoding: "Deflate", sent: UploadBodies.rawDeflate(lines)),
    Sample(name: "zstd", encoding: "zstd", sent: UploadBodies.zstd(lines), path: "zstd"),
    Sample(
      name: "frames of zstd", encoding: "zstd",
      sent: UploadBodies.zstd(Array(lines.prefix(1_000))) + UploadBodies.zstd(Array(lines.dropFirst(1_000))), path: "zstd"),
  ]

  @Test(arguments: samples)
  func `a body arrives without its encoding, in one piece, in chunks and byte by byte`(sample: Sample) async throws {
    try await UploadTestServer.run { server throws in
      let expected = EchoUploads.text(sample.path, sent: sample.sent.count, Self.lines)
      let whole = try server.post(sample.sent, to: sample.path, encoding: sample.encoding)
      #expect(whole.status == 200 && whole.text == expected, "\(whole.head)")
      let coding = sample.encoding.map { "\r\nContent-Encoding: \($0)" } ?? ""
      for size in [1, 7, 1_000, 1 << 20] {
        let chunks = UploadBodies.chunked(sample.sent, size: size)
        let response = try server.response(
          "POST /\(sample.path)/ HTTP/1.1\r\nTransfer-Encoding: Chunked\r\nConnection: close\(coding)", chunks)
        #expect(response.status == 200 && response.text == expected, "\(size): \(response.head)")
      }
    }
  }

  @Test(arguments: ["Content-Length: 10\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\na\r\n"])
  func `a request is received when its head has arrived, however slow its body is`(head: String) async throws {
    try await UploadTestServer.run { server throws in
      let end = head.hasSuffix("a\r\n") ? "\r\n0\r\n\r\n" : ""
      let seconds: [Int64] = [100, 200]
      let client = try server.client()
      for (index, second) in seconds.enumerated() {
        server.service.now = Timestamp(milliseconds: second * 1000)
        client.send("POST /a HTTP/1.1\r\n\(head)")
        #expect(UploadTestServer.waits { server.service.admittedCount == index + 1 })
        for (offset, byte) in Array("0123456789\(end)".utf8).enumerated() {
          server.service.now = Timestamp(milliseconds: (second + 1 + Int64(offset)) * 1000)
          client.send([byte])
        }
        #expect(client.read(until: "POST").hasPrefix("HTTP/1.1 200"))
      }
      #expect(server.service.receivedTimes.map(\.milliseconds) == seconds.map { $0 * 1000 })
    }
  }

  @Test func `a request may arrive byte by byte`() async throws {
    try await UploadTestServer.run { server throws in
      let body = Array("0123456789".utf8)
      let head = "POST /a%20b?x=1%2B1&y HTTP/1.1\r\nhOST: a\r\nConnection: close\r\n"
      for rest in [
        "Content-Length: 10\r\n\r\n0123456789", "Transfer-Encoding: chunked\r\n\r\n4\r\n0123\r\n006 ;x\r\n456789\r\n0\r\n\r\n",
      ] {
        let client = try server.client()
        for byte in Array("\(head)\(rest)".utf8) { client.send([byte]) }
        #expect(client.readToEnd().text == EchoUploads.text("a b", sent: 10, body))
      }
    }
  }

  @Test func `a body of the largest size is taken, and a larger one is refused before it is sent`() async throws {
    try await UploadTestServer.run({ $0.bodyBytes = 1_000_000 }) { server throws in
      let body = [UInt8](repeating: 7, count: 1_000_000)
      #expect(try server.post(body).status == 200)
      for framing in ["Content-Length: 1000001", "Content-Length: 99999999999999999999999"] {
        let client = try server.client()
        client.send("POST /a HTTP/1.1\r\n\(framing)\r\n\r\n")
        let response = client.readToEnd()
        #expect(response.status == 413 && response.header("x-path") == "a", "\(response.head)")
        #expect(response.header("connection") == "close")
      }
      let chunked = try server.client()
      chunked.send("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nF4240\r\n")
      chunked.send(body + Array("\r\n1\r\n".utf8))
      #expect(chunked.readToEnd().status == 413)
      #expect(server.service.takenCount == 1)
    }
  }

  @Test func `a client that sends all of a body that is too large can read the refusal`() async throws {
    try await UploadTestServer.run({ $0.bodyBytes = 1_000_000 }) { server throws in
      let response = try server.post([UInt8](repeating: 7, count: 20_000_000))
      #expect(response.status == 413)
    }
  }

  @Test func `a client that never stops sending after a refusal is left`() async throws {
    try await UploadTestServer.run({
      $0.bodyBytes = 1_000
      $0.drainedBytes = 1_000_000
    }) { server throws in
      let client = try server.client()
      client.send("POST /a HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n")
      let piece = [UInt8](repeating: 7, count: 1_000_000)
      #expect((0..<1_000).contains { _ in !client.send(piece) })
    }
  }

  @Test func `a body that inflates too far is refused before its end`() async throws {
    let bomb = UploadBodies.gzip([UInt8](repeating: 32, count: 8 << 20))
    #expect(bomb.count < 80_000, "\(bomb.count)")
    try await UploadTestServer.run { server throws in
      let client = try server.client()
      client.send("POST /a HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n")
      client.send(Array(bomb.prefix(bomb.count / 2)))
      #expect(client.readToEnd().status == 413)
      #expect(try server.post(UploadBodies.zstdBomb(blocks: 100), to: "zstd", encoding: "zstd").status == 413)
      // Below 1 MiB any ratio is allowed.
      #expect(try server.post(UploadBodies.zstdBomb(blocks: 8), to: "zstd", encoding: "zstd").status == 200)
      #expect(server.service.takenCount == 1)
    }
    try await UploadTestServer.run({
      $0.inflationRatio = 1_000_000
      $0.inflatedBytes = 3 << 20
    }) { server throws in
      let largest = [UInt8](repeating: 32, count: 3 << 20)
      #expect(try server.post(UploadBodies.gzip(largest), encoding: "gzip").status == 200)
      #expect(try server.post(UploadBodies.gzip(largest + [0]), encoding: "gzip").status == 413)
      #expect(try server.post(UploadBodies.zstdBomb(blocks: 24), to: "zstd", encoding: "zstd").status == 200)
      #expect(try server.post(UploadBodies.zstdBomb(blocks: 25), to: "zstd", encoding: "zstd").status == 413)
    }
  }

  @Test func `a compressed body that is broken, cut or followed by other bytes is refused`() async throws {
    try await UploadTestServer.run { server throws in
      for sample in Self.samples where !["none", "identity", "members"].contains(sample.name) {
        var flipped = sample.sent
        flipped[flipped.count - 2] ^= 0xFF
        let isChecked = ["gzip", "zlib"].contains(sample.name)
        let bad = [Array(sample.sent.dropLast()), sample.sent + [1], Array("plain".utf8)] + (isChecked ? [flipped] : [])
        for body in bad {
          let response = try server.post(body, to: sample.path, encoding: sample.encoding)
          #expect(response.status == 400 && response.text == "corruptBody\n", "\(sample.name): \(response.head)")
        }
      }
      // A window of 128 MiB.
      let window: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 0x88, 1, 0, 0]
      #expect(try server.post(window, to: "zstd", encoding: "zstd").status == 400)
      #expect(server.service.takenCount == 0)
    }
  }

  @Test func `an empty body has no encoding that could be broken`() async throws {
    try await UploadTestServer.run { server throws in
      for encoding in ["gzip", "deflate"] { #expect(try server.post([], encoding: encoding).status == 200) }
    }
  }

  @Test(arguments: ["br", "gzip, gzip", "gzip, deflate", "zstd", "gzip;q=1"])
  func `another encoding is refused`(encoding: String) async throws {
    try await UploadTestServer.run { server throws in
      let response = try server.post([1], encoding: encoding)
      #expect(response.status == 415 && response.header("x-path") == "a")
    }
  }
}
