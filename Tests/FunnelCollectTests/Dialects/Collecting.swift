import Dispatch
import Foundation
import FunnelModel
import FunnelSchemas
import FunnelSystem
import FunnelTestSupport

@testable import FunnelCollect

/// A collector with the key `k-12345678` of the app `todo`, whose clock stands still.
struct Collecting {
  static let now = Timestamp(rfc3339: "2026-11-20T10:15:32.000Z")!
  static let key = "k-12345678"

  let folder: TemporaryFolder
  let collector: Collector
  let metrics = CollectMetrics()
  /// The sentences for the operator.
  let notes = Notes()
  private let spool: Spool

  init(origins: Set<String> = [], limitBytes: Int = 1 << 30, recordsPerMinuteMax: Int? = nil, awaitsPseudonyms: Bool = false)
    throws
  {
    folder = try TemporaryFolder(isInMemory: true)
    var settings = SpoolSettings(now: { Self.now })
    settings.limitBytes = limitBytes
    spool = try Spool(folder: folder.path("spool"), settings: settings)
    var parts = Collector.Parts(
      keys: try CollectKeys(parsing: Array("\(Self.key) todo\nother-key-1 notes\n".utf8), path: "keys"), spool: spool,
      metrics: metrics, privacy: BuiltInSchemas.privacy, inflate: { body throws(CollectRefusal) in Array(body.dropFirst(2)) })
    parts.allowedOrigins = origins
    parts.recordsPerMinuteMax = recordsPerMinuteMax
    parts.awaitsPseudonyms = awaitsPseudonyms
    let notes = notes
    parts.notify = { notes.append($0) }
    collector = Collector(parts, threads: 1)
  }

  /// Sends a request and waits for its answer.
  func send(
    _ path: String, _ body: String = "", method: String = "POST", headers: [String: String] = [:], query: String = "",
    at time: Timestamp = now
  ) -> CollectAnswer {
    send(path, bytes: Array(body.utf8), method: method, headers: headers, query: query, at: time)
  }

  /// Sends a request whose body is no text, and waits for its answer.
  func send(
    _ path: String, bytes body: [UInt8], method: String = "POST", headers: [String: String] = [:], query: String = "",
    at time: Timestamp = now
  ) -> CollectAnswer {
    let segments = path.split(separator: "/").map(String.init)
    let headers = headers.map { (name: $0.key.lowercased(), value: $0.value) }
    if let refused = collector.refusal(ofMethod: method, path: segments, headers: headers) { return refused }
    let request = CollectRequest(
      method: method, path: segments, query: URLText.parameters(query) ?? [], headers: headers, body: body, receivedAt: time)
    let answered = DispatchSemaphore(value: 0)
    let result = Guarded<CollectAnswer?>(nil)
    collector.take(request) { answer in
      result.withLock { $0 = answer }
      answered.signal()
    }
    answered.wait()
    return result.withLock { $0 }!
  }

  /// Ends the collector, and returns the lines in its spool: of events, or of dead letters.
  func lines(_ area: String = "") throws -> [String] {
    collector.close()
    spool.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("spool/\(area)")).sorted()
    return try names.filter { $0.hasSuffix(".ndjson") }.flatMap { name in
      String(decoding: try folder.contents("spool/\(area)\(name)"), as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }
}

/// Sentences for an operator, in order.
final class Notes: Sendable {
  private let sentences = Guarded<[String]>([])

  var all: [String] { sentences.withLock { $0 } }

  func append(_ sentence: String) { sentences.withLock { $0.append(sentence) } }
}

extension CollectAnswer {
  var text: String { String(decoding: body, as: UTF8.self) }

  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
