import Foundation

/// Reads the files of `Deploy`.
enum DeployFile {
  static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
  static let folder = repository.appending(path: "Deploy")

  /// Returns the text of a file.
  static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  /// Returns a file's JSON object.
  static func json(_ name: String) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: name)))
    return value as? [String: Any] ?? [:]
  }

  /// Returns the queries of `Deploy/sql`, by name.
  static func queries() throws -> [String: String] {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "sql").path)
    return Dictionary(
      uniqueKeysWithValues: try files.filter { $0.hasSuffix(".sql") }.map {
        ($0.replacing(".sql", with: ""), try text("sql/\($0)"))
      })
  }
}
