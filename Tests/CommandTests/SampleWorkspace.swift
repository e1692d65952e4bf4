import Foundation

/// A temporary folder with a copy of a sample folder's logs, where the tool runs; its store is the default one.
final class SampleWorkspace {
  let url: URL
  let sample: SampleFolder

  init(_ sample: SampleFolder) throws {
    self.sample = sample
    url = FileManager.default.temporaryDirectory.appending(path: "sample-\(sample.name)-\(UUID().uuidString)")
    let copy = url.appending(path: sample.name)
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: sample.url.path) where !name.hasSuffix(".expected") {
      try FileManager.default.copyItem(at: sample.url.appending(path: name), to: copy.appending(path: name))
    }
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// Runs `funnel` with these arguments, and with the current time of the expected outputs if the command takes one.
  func run(_ arguments: String...) throws -> FunnelRun {
    try run(arguments)
  }

  /// Runs `funnel` with these arguments, and with the current time of the expected outputs if the command takes one.
  func run(_ arguments: [String]) throws -> FunnelRun {
    let isTimeless = ["rejected", "log"].contains(arguments[0])
    return try FunnelRun(
      arguments: arguments + (isTimeless ? [] : ["--now", SampleFolder.now]), directory: url,
      environment: ["FUNNEL_STORE": ""])
  }

  /// Ingests the logs into the store.
  func ingest(_ options: String...) throws -> FunnelRun {
    try run(["ingest", sample.name] + sample.schemas + options)
  }

  /// Runs a report over the files.
  func reportFromFiles(_ question: SampleFolder.Question) throws -> FunnelRun {
    let named = question.arguments.first.map { !$0.hasPrefix("-") } ?? false
    let name = named ? [question.arguments[0]] : []
    return try run(["report"] + name + [sample.name] + sample.schemas + question.arguments.dropFirst(name.count))
  }

  /// Runs a report over the store, which remembers the definitions it was given.
  func reportFromStore(_ question: SampleFolder.Question) throws -> FunnelRun {
    try run(["report"] + question.arguments)
  }
}

/// The output of `funnel ingest --format json`.
struct IngestAnswer: Decodable, Equatable {
  var inputs: Int
  var lines: Int
  var accepted: Int
  var duplicates: Int
  var rejected: Int
  var rejectedByReason: [String: Int]
  var commit: Int?
  var eventsInStore: Int

  private enum CodingKeys: String, CodingKey {
    case inputs, lines, accepted, duplicates, rejected, commit
    case rejectedByReason = "rejected_by_reason"
    case eventsInStore = "events_in_store"
  }

  init(_ run: FunnelRun) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(run.output.utf8))
  }
}
