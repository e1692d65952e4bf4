import Foundation
import FunnelModel
import FunnelServer
import FunnelSystem
import FunnelTestSupport
import Testing

/// A service that answers with what it was sent.
///
/// `/missing` is refused by its head, `/zstd` takes zstd too, `/held` is answered by ``release()``, and the three requests to
/// `/reversed` are answered in the reverse order. `/long` has an answer of many bytes.
final class EchoUploads: UploadService {
  private typealias Answer = @Sendable () -> Void

  static let longBytes = 8 << 20
  private static let reversedCount = 3

  private let lock = NSLock()
  private nonisolated(unsafe) var held: [Answer] = []
  private nonisolated(unsafe) var reversed: [Answer] = []
  private nonisolated(unsafe) var taken = 0
  private nonisolated(unsafe) var admitted = 0
  private nonisolated(unsafe) var times: [Timestamp] = []
  private nonisolated(unsafe) var time = Timestamp(milliseconds: 0)

  /// The number of requests that were passed to the service.
  var takenCount: Int { lock.withLock { taken } }

  /// The number of requests whose head was received.
  var admittedCount: Int { lock.withLock { admitted } }

  /// The times of receipt of the requests that were passed to the service, in order.
  var receivedTimes: [Timestamp] { lock.withLock { times } }

  /// The time of the server's clock, which stands still.
  var now: Timestamp {
    get { lock.withLock { time } }
    set { lock.withLock { time = newValue } }
  }

  func admission(of head: UploadHead) -> UploadAdmission {
    lock.withLock { admitted += 1 }
    return switch head.path.first {
    case "missing": .refused(ServerResponse(status: 404, text: "no such path"))
    case "zstd": .read(Set(UploadEncoding.allCases))
    default: .read([.gzip, .deflate])
    }
  }

  func take(_ request: UploadRequest, answer: @escaping @Sendable (ServerResponse) -> Void) {
    let response =
      request.head.path == ["long"]
      ? ServerResponse(status: 200, body: [UInt8](repeating: UInt8(ascii: "x"), count: Self.longBytes))
      : ServerResponse(status: 200, text: Self.text(request))
    let send: Answer = {
      withExtendedLifetime(request) { Thread.detachNewThread { answer(response) } }
    }
    let due = lock.withLock { () -> [Answer] in
      taken += 1
      times.append(request.receivedAt)
      switch request.head.path.first {
      case "held":
        held.append(send)
        return []
      case "reversed":
        reversed.append { answer(response) }
        guard reversed.count == Self.reversedCount else { return [] }
        defer { reversed = [] }
        return reversed.reversed()
      default: return [send]
      }
    }
    for answer in due { answer() }
  }

  func refusal(_ refusal: UploadRefusal, of head: UploadHead?) -> ServerResponse {
    ServerResponse(status: refusal.status, text: "\(refusal)", headers: [("X-Path", head?.path.first ?? "none")])
  }

  /// Answers the requests to `/held`.
  func release() {
    let due = lock.withLock {
      defer { held = [] }
      return held
    }
    for answer in due { answer() }
  }

  /// Returns the line with which a request is answered.
  static func text(_ request: UploadRequest) -> String {
    let checksum = Checksum.crc32(request.body.span)
    return "\(request.head.method) \(request.head.path) \(request.receivedBytes) \(request.body.count) \(checksum)"
  }

  /// Returns the line with which a POST request is answered.
  static func text(_ path: String, sent: Int, _ body: [UInt8]) -> String {
    "POST [\"\(path)\"] \(sent) \(body.count) \(Checksum.crc32(body.span))\n"
  }
}

/// A server of ``EchoUploads`` on a port of its own, stopped by ``run(_:_:)``.
struct UploadTestServer {
  let service = EchoUploads()
  let server: UploadServer
  var port: Int { server.address.port }

  init(_ limits: UploadLimits = UploadLimits()) throws {
    let service = service
    server = try UploadServer(
      address: ServerAddress("127.0.0.1:0"), limits: limits, service: service, clock: { service.now })
  }

  /// Starts a server, calls a function in a thread of its own, which may wait, and stops the server.
  static func run(
    _ change: (inout UploadLimits) -> Void = { _ in }, _ body: @escaping @Sendable (UploadTestServer) throws -> Void
  ) async throws {
    var limits = UploadLimits()
    // A machine full of other tests may need long for a request.
    limits.requestTime = .seconds(300)
    limits.responseTime = .seconds(300)
    change(&limits)
    let server = try UploadTestServer(limits)
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread {
        let result = Result { try body(server) }
        server.service.release()
        server.server.stop(within: .seconds(60))
        continuation.resume(with: result)
      }
    }
  }

  func client() throws -> LoopbackClient { try LoopbackClient(port: port) }

  /// Sends one request and reads until the server closes the connection.
  func response(_ head: String, _ body: [UInt8] = []) throws -> LoopbackClient.Response {
    let client = try client()
    client.send(Array("\(head)\r\n\r\n".utf8) + body)
    return client.readToEnd()
  }

  /// Posts one body with its length and reads the response.
  func post(_ body: [UInt8], to path: String = "a", encoding: String? = nil) throws -> LoopbackClient.Response {
    let coding = encoding.map { "\r\nContent-Encoding: \($0)" } ?? ""
    return try response(
      "POST /\(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(body.count)\(coding)", body)
  }

  /// Waits until something holds that needs no answer to a client. Returns whether it does.
  static func waits(_ condition: () -> Bool) -> Bool {
    for _ in 0..<6_000 {
      if condition() { return true }
      usleep(10_000)
    }
    return condition()
  }
}

extension LoopbackClient {
  /// Reads until the text of the responses so far has a number of occurrences of a line's beginning. Returns the text.
  func read(until part: String, times: Int = 1) -> String {
    var text = ""
    var count = 0
    while count < times, let more = read() {
      let start = text.utf8.count
      text += String(decoding: more, as: UTF8.self)
      // An occurrence may begin in what was read before.
      let overlap = max(0, start - part.utf8.count + 1)
      count += String(text.utf8.dropFirst(overlap))?.components(separatedBy: part).count.advanced(by: -1) ?? 0
    }
    return text
  }
}

/// Bodies of requests, and their encodings.
enum UploadBodies {
  /// Lines of text that compress as events do.
  static func lines(_ count: Int) -> [UInt8] {
    Array((0..<count).map { "{\"name\":\"step_viewed\",\"subject\":\"s\($0 &* 7919 % 10_007)\"}\n" }.joined().utf8)
  }

  static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    let time = Timestamp(milliseconds: 0)
    var members: [UInt8] = []
    for start in stride(from: 0, to: max(1, bytes.count), by: 1 << 20) {
      let piece = Array(bytes[start..<min(bytes.count, start + 1 << 20)])
      members += GzipMember.encode(piece.span, lines: 1, timestamps: time...time, with: Deflater(.zlib(level: 9)))
    }
    return members
  }

  /// Returns a raw deflate stream of at most 1 MiB.
  static func rawDeflate(_ bytes: [UInt8]) -> [UInt8] {
    let trailerBytes = 8
    return Array(gzip(bytes).dropFirst(GzipMember.headerBytes).dropLast(trailerBytes))
  }

  /// Returns a zlib stream (RFC 1950) of at most 1 MiB.
  static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var sums: (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      sums.0 = (sums.0 + UInt32(byte)) % 65_521
      sums.1 = (sums.1 + sums.0) % 65_521
    }
    let adler = sums.1 << 16 | sums.0
    return [0x78, 0x9C] + rawDeflate(bytes) + (0..<4).map { UInt8(truncatingIfNeeded: adler >> (24 - 8 * $0)) }
  }

  /// Returns a zstd frame of blocks that are not compressed.
  static func zstd(_ bytes: [UInt8]) -> [UInt8] {
    let window: UInt8 = 0x38
    var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, window]
    let starts = Array(stride(from: 0, to: max(1, bytes.count), by: 1 << 16))
    for start in starts {
      let piece = bytes[start..<min(bytes.count, start + 1 << 16)]
      frame += header(size: piece.count, type: 0, isLast: start == starts.last) + piece
    }
    return frame
  }

  /// Returns a zstd frame of blocks that repeat one byte, 128 KiB each.
  static func zstdBomb(blocks: Int) -> [UInt8] {
    let window: UInt8 = 0x38
    let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, window]
    return frame + (1...blocks).flatMap { header(size: 1 << 17, type: 1, isLast: $0 == blocks) + [0] }
  }

  private static func header(size: Int, type: Int, isLast: Bool) -> [UInt8] {
    let header = size << 3 | type << 1 | (isLast ? 1 : 0)
    return (0..<3).map { UInt8(truncatingIfNeeded: header >> (8 * $0)) }
  }

  /// Returns a body in chunks of a size.
  static func chunked(_ bytes: [UInt8], size: Int) -> [UInt8] {
    var chunks: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      let piece = bytes[start..<min(bytes.count, start + size)]
      chunks += Array("\(String(piece.count, radix: 16));a=\"b\"\r\n".utf8) + piece + Array("\r\n".utf8)
    }
    return chunks + Array("0\r\nX-Trailer: 1\r\n\r\n".utf8)
  }
}
