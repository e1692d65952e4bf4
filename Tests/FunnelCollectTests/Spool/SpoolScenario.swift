import Dispatch
import FunnelCollect
import FunnelModel
import FunnelSystem
import FunnelTestSupport

/// Batches whose lines are told apart.
enum SpoolScenario {
  static let start = Timestamp(milliseconds: 1_795_169_730_123)

  /// Returns settings with which files are finished by their size and at the end alone.
  static func settings(_ fileSystem: any FileSystem = LocalFileSystem()) -> SpoolSettings {
    var settings = SpoolSettings(now: { start })
    settings.fileSystem = fileSystem
    settings.fileAgeMax = TimeSpan(milliseconds: 3_600_000)
    return settings
  }

  /// Returns a batch of events with a number, and of a dead letter if the number is a multiple of three.
  static func batch(_ number: Int, lines: Int = 2) -> SpoolBatch {
    let padding = String(repeating: "x", count: number % 7)
    let events = (0..<lines).map { "{\"event\":\"\(number)-\($0)\",\"text\":\"\(padding)\"}\n" }.joined()
    let letters = number.isMultiple(of: 3) ? "{\"letter\":\"\(number)\"}\n" : ""
    return SpoolBatch(events: Array(events.utf8), deadLetters: Array(letters.utf8))
  }

  /// The lines of a batch.
  static func lines(of batch: SpoolBatch) -> [String] { lines(batch.events) + lines(batch.deadLetters) }

  static func lines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Returns the first problem of what a spool's folder holds after recovery, or `nil` if there is none.
  ///
  /// - Parameters:
  ///   - acknowledged: The batches that were acknowledged.
  ///   - attempted: All batches that were appended.
  static func problem(in folder: TemporaryFolder, acknowledged: [SpoolBatch], attempted: [SpoolBatch]) throws -> String? {
    let spool = try Spool(folder: folder.path, settings: settings())
    spool.close()
    let names = try folder.files().filter { !$0.hasPrefix(".") && !$0.contains("/.") }
    if let open = names.first(where: { !$0.hasSuffix(".ndjson") }) { return "\(open) is not finished" }
    var counts: [String: Int] = [:]
    for name in names {
      let bytes = try folder.contents(name)
      if bytes.isEmpty || bytes.last != UInt8(ascii: "\n") { return "\(name) does not end in a whole line" }
      for line in lines(bytes) { counts[line, default: 0] += 1 }
    }
    let known = Set(attempted.flatMap(lines(of:)))
    if let torn = counts.keys.first(where: { !known.contains($0) }) { return "a torn line: \(torn)" }
    let repeated = counts.first { $0.value > 1 }
    if let repeated { return "\(repeated.key) is there \(repeated.value) times" }
    return acknowledged.flatMap(lines(of:)).first { counts[$0] == nil }.map { "\($0) was acknowledged and is lost" }
  }
}

extension Spool {
  /// Appends a batch and waits for its result.
  func append(_ batch: SpoolBatch) -> Result<Void, SpoolFailure> {
    let pending = PendingResult()
    append(batch) { pending.set($0) }
    return pending.wait()
  }
}

/// A result that another thread sets once.
final class PendingResult: Sendable {
  private let result = Guarded<Result<Void, SpoolFailure>?>(nil)
  private let isSet = DispatchSemaphore(value: 0)

  func set(_ value: Result<Void, SpoolFailure>) {
    result.withLock { result in
      precondition(result == nil, "a completion is called once")
      result = value
    }
    isSet.signal()
  }

  func wait() -> Result<Void, SpoolFailure> {
    isSet.wait()
    isSet.signal()
    return result.withLock { $0! }
  }
}

extension Result<Void, SpoolFailure> {
  var isSuccess: Bool { failure == nil }

  var failure: SpoolFailure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}
