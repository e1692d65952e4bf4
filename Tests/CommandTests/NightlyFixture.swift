import Foundation
import FunnelTestSupport

/// A temporary folder with an inbox, a store and reports, and the nightly command that uses them.
struct NightlyFixture {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("inbox"), withIntermediateDirectories: true)
  }

  /// Runs the nightly command, by default at 02:10 UTC in the night after 2026-11-20.
  func night(_ more: String..., now: String = "2026-11-21T02:10:00Z") throws -> FunnelRun {
    try FunnelRun(
      arguments: ["nightly", "--inbox", "inbox", "--out", "out", "--store", "store", "--now", now] + more,
      directory: URL(filePath: folder.path))
  }

  /// Writes a file to the inbox, and creates the folders on its path.
  func upload(_ text: String, as name: String) throws { try upload(Array(text.utf8), as: name) }

  func upload(_ bytes: [UInt8], as name: String) throws {
    let path = "inbox/\(name)"
    try FileManager.default.createDirectory(
      at: URL(filePath: folder.path(path)).deletingLastPathComponent(), withIntermediateDirectories: true)
    try folder.write(bytes, to: path)
    try age(name, hours: 2)
  }

  /// Sets the modification time of a file of the inbox, so that it was last written some hours ago.
  func age(_ name: String, hours: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -hours * 3600)], ofItemAtPath: folder.path("inbox/\(name)"))
  }

  /// Returns the paths of all files in the inbox, including those in `done` and `failed`.
  func inbox() throws -> [String] {
    try folder.files().filter { $0.hasPrefix("inbox/") }.map { String($0.dropFirst("inbox/".count)) }
  }

  /// Reads a JSON report that a nightly run wrote.
  func report(_ name: String) throws -> [String: Any] {
    let data = try Data(contentsOf: URL(filePath: folder.path("out/\(name)")))
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  /// Returns how many groups entered in the first row of a report's funnel, or nil if it has no row.
  func entered(_ name: String) throws -> Int? {
    (try report(name)["funnel"] as? [[String: Any]])?.first?["entered"] as? Int
  }

  /// Returns events with which `count` subjects enter the permissions flow, one event for each.
  static func starts(_ count: Int, at time: String, prefix: String = "u") -> String {
    (0..<count).map {
      "{\"name\":\"perm_flow_start\",\"ts\":\"\(time)\",\"subject\":\"\(prefix)\($0)\",\"app\":\"cleaner\"}\n"
    }.joined()
  }
}
