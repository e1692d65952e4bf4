import Foundation
import FunnelTestSupport

/// A folder of logs and a store in it, and the command that works on them.
final class Workplace {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private init(_ folder: TemporaryFolder) { self.folder = folder }

  var url: URL { URL(filePath: folder.path) }

  /// A copy, for trying one thing after another from the same beginning.
  func copy() throws -> Workplace { Workplace(try folder.copy()) }

  /// Writes a text, also into a folder that is missing.
  func write(_ text: String, to name: String) throws {
    let parent = URL(filePath: folder.path(name)).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    try folder.write(Array(text.utf8), to: name)
  }

  /// The text of a file.
  func text(_ name: String) throws -> String { String(decoding: try folder.contents(name), as: UTF8.self) }

  /// Runs a command of `funnel` here, at the present of these tests.
  func run(_ arguments: String..., input: String = "", environment: [String: String] = [:]) throws -> FunnelRun {
    try FunnelRun(arguments: arguments, directory: url, environment: environment, input: input)
  }

  /// Ingests what is named, and what this came to as JSON.
  func ingest(_ arguments: String..., input: String = "") throws -> [String: Any] {
    let run = try FunnelRun(
      arguments: ["ingest"] + arguments + ["--now", Self.now, "--format", "json"], directory: url, input: input)
    // Of a log in which every line is bad there is a summary too.
    guard run.status == 0 || run.status == 65 && !run.output.isEmpty else { throw Failure(run: run) }
    return try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any] ?? [:]
  }

  /// A report as JSON; the present is that of these tests.
  func report(_ arguments: String...) throws -> String {
    let run = try FunnelRun(arguments: ["report", "--now", Self.now, "--format", "json"] + arguments, directory: url)
    guard run.status == 0 else { throw Failure(run: run) }
    return run.output
  }

  /// The bytes of all files of the store but its lock.
  func storeBytes() throws -> [String: [UInt8]] {
    let names = try folder.files().filter { $0.hasPrefix("funnel-store/") }
    return Dictionary(uniqueKeysWithValues: try names.map { ($0, try folder.contents($0)) })
  }

  /// The present of these tests.
  static let now = "2026-11-21T12:00:00Z"

  /// A run that ought to have gone well.
  struct Failure: Error {
    var run: FunnelRun
  }
}

/// Lines of the flow cleaner/permissions_flow on 2026-11-20.
enum LogLine {
  /// An event of a subject so many seconds after ten o'clock; `more` are further fields.
  static func event(_ name: String, _ subject: String = "s1", at second: Int = 0, _ more: String = "") -> String {
    let time = 1_795_168_800_000 + second * 1000
    return
      "{\"name\":\"\(name)\",\"ts\":\(time),\"subject\":\"\(subject)\",\"app\":\"cleaner\"\(more == "" ? "" : ",\(more)")}\n"
  }

  /// A whole run through the flow.
  static func completedRun(_ subject: String, at second: Int = 0, _ more: String = "") -> String {
    let names = [
      "perm_flow_start", "perm_photos_pre_prompt_shown", "perm_photos_granted", "perm_contacts_pre_prompt_shown",
      "perm_contacts_denied", "perm_flow_completed",
    ]
    return names.enumerated().map { event($1, subject, at: second + $0, more) }.joined()
  }
}
