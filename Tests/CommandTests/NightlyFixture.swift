import Foundation
import FunnelTestSupport

/// An inbox, a store and a place for reports in a temporary folder, and the command that runs over them.
struct NightlyFixture {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("inbox"), withIntermediateDirectories: true)
  }

  /// Runs the night of 2026-11-20, at ten past two in the morning after.
  func night(_ more: String..., now: String = "2026-11-21T02:10:00Z") throws -> FunnelRun {
    try FunnelRun(
      arguments: ["nightly", "--inbox", "inbox", "--out", "out", "--store", "store", "--now", now] + more,
      directory: URL(filePath: folder.path))
  }

  /// Puts a file into the inbox, with the folders on the way to it.
  func upload(_ text: String, as name: String) throws { try upload(Array(text.utf8), as: name) }

  func upload(_ bytes: [UInt8], as name: String) throws {
    let path = "inbox/\(name)"
    try FileManager.default.createDirectory(
      at: URL(filePath: folder.path(path)).deletingLastPathComponent(), withIntermediateDirectories: true)
    try folder.write(bytes, to: path)
  }

  /// What is in the inbox, `done` and `failed` included.
  func inbox() throws -> [String] {
    try folder.files().filter { $0.hasPrefix("inbox/") }.map { String($0.dropFirst("inbox/".count)) }
  }

  /// A report that was written.
  func report(_ name: String) throws -> [String: Any] {
    let data = try Data(contentsOf: URL(filePath: folder.path("out/\(name)")))
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  /// How many groups entered the only funnel of a report.
  func entered(_ name: String) throws -> Int? {
    (try report(name)["funnel"] as? [[String: Any]])?.first?["entered"] as? Int
  }

  /// One event each of so many subjects, which enters the permissions flow.
  static func starts(_ count: Int, at time: String, prefix: String = "u") -> String {
    (0..<count).map {
      "{\"name\":\"perm_flow_start\",\"ts\":\"\(time)\",\"subject\":\"\(prefix)\($0)\",\"app\":\"cleaner\"}\n"
    }.joined()
  }
}
