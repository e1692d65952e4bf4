import Foundation
import FunnelSystem
import FunnelTestSupport

/// A temporary folder with logs and a store, in which `funnel` runs.
final class Workplace: Sendable {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private init(_ folder: TemporaryFolder) { self.folder = folder }

  var url: URL { URL(filePath: folder.path) }

  /// Returns a copy, so that different changes can be tried on the same store.
  func copy() throws -> Workplace { Workplace(try folder.copy()) }

  /// Writes a text to a file, and creates the file's folder if it is missing.
  func write(_ text: String, to name: String) throws {
    let parent = URL(filePath: folder.path(name)).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    try folder.write(Array(text.utf8), to: name)
  }

  /// Returns the text of a file.
  func text(_ name: String) throws -> String { String(decoding: try folder.contents(name), as: UTF8.self) }

  /// Runs a command of `funnel` in this folder. The arguments must give `--now` if the output depends on the time.
  func run(_ arguments: String..., input: String = "", environment: [String: String] = [:]) throws -> FunnelRun {
    try FunnelRun(arguments: arguments, directory: url, environment: environment, input: input)
  }

  /// Runs `funnel ingest` with these arguments at ``now``, and returns its summary.
  func ingest(_ arguments: String..., input: String = "") throws -> [String: Any] {
    let run = try FunnelRun(
      arguments: ["ingest"] + arguments + ["--now", Self.now, "--format", "json"], directory: url, input: input)
    // If every line is rejected, the status is 65 and there is still a summary.
    guard run.status == 0 || run.status == 65 && !run.output.isEmpty else { throw Failure(run: run) }
    return try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any] ?? [:]
  }

  /// Returns a report as JSON, made at ``now``.
  func report(_ arguments: String...) throws -> String {
    let run = try FunnelRun(arguments: ["report", "--now", Self.now, "--format", "json"] + arguments, directory: url)
    guard run.status == 0 else { throw Failure(run: run) }
    return run.output
  }

  /// Returns the contents of all files of the store, by path.
  func storeBytes() throws -> [String: [UInt8]] {
    let names = try folder.files().filter { $0.hasPrefix("funnel-store/") }
    return Dictionary(uniqueKeysWithValues: try names.map { ($0, try folder.contents($0)) })
  }

  /// The current time in these tests.
  static let now = "2026-11-21T12:00:00Z"

  /// A command that failed although it should succeed.
  struct Failure: Error {
    var run: FunnelRun
  }
}

/// A workplace that is made once. The tests of a suite that begin with the same store each get a copy of it.
struct PreparedWorkplace: Sendable {
  private let workplace: Result<Workplace, any Error>

  /// Makes the workplace, which is removed when the tests end.
  init(_ prepare: (Workplace) throws -> Void) {
    workplace = Result {
      let workplace = try Workplace()
      Self.all.withLock { $0.append(workplace.folder.path) }
      _ = Self.removalAtExit
      try prepare(workplace)
      return workplace
    }
  }

  /// Returns a copy, which is the caller's own.
  func copy() throws -> Workplace { try workplace.get().copy() }

  /// The folders of all of them: what a static property holds is never released.
  private static let all = Guarded<[String]>([])

  private static let removalAtExit = atexit {
    for path in PreparedWorkplace.all.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
  }
}

/// Lines of the flow cleaner/permissions_flow on 2026-11-20.
enum LogLine {
  /// Returns an event of a subject, `second` seconds after 10:00 UTC. `more` holds further fields as JSON.
  static func event(_ name: String, _ subject: String = "s1", at second: Int = 0, _ more: String = "") -> String {
    let time = 1_795_168_800_000 + second * 1000
    return
      "{\"name\":\"\(name)\",\"ts\":\(time),\"subject\":\"\(subject)\",\"app\":\"cleaner\"\(more == "" ? "" : ",\(more)")}\n"
  }

  /// Returns the events with which a subject completes the flow.
  static func completedRun(_ subject: String, at second: Int = 0, _ more: String = "") -> String {
    let names = [
      "perm_flow_start", "perm_photos_pre_prompt_shown", "perm_photos_granted", "perm_contacts_pre_prompt_shown",
      "perm_contacts_denied", "perm_flow_completed",
    ]
    return names.enumerated().map { event($1, subject, at: second + $0, more) }.joined()
  }
}
