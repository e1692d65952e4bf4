package import FunnelImport
package import FunnelSystem

/// One file of input, or standard input.
package struct InputFile: Hashable, Sendable {
  /// The path as messages show it, or `-` for standard input.
  package var path: String
  /// The size on the disk in bytes, or `nil` if it is unknown, as for a pipe. It is used for progress.
  package var byteCount: Int?
  /// The path to open without following symbolic links below its base, or `nil` to open ``path`` and follow links.
  package var place: StoragePath?
  /// Whether a search found the file. Otherwise the user named it, and it is read whatever it holds.
  var isFound = false
  /// The files that the search passed over before this one.
  package internal(set) var passedOver = PassedOverFiles()
  /// The index of the file in the input.
  var number = 0

  /// Creates a file at a path that the user named. Symbolic links are followed.
  package init(path: String, byteCount: Int?) {
    self.path = path
    self.byteCount = byteCount
  }

  /// Creates a file in a folder to which other users may write. Symbolic links are not followed.
  package init(place: StoragePath, byteCount: Int?) {
    self.init(path: place.description, byteCount: byteCount)
    self.place = place
  }

  /// Whether the file may hold dead letters of `funnel collect`, by its folder, which is named `rejected`.
  var mayHoldDeadLetters: Bool {
    let folders = path.split(separator: "/").dropLast()
    return folders.last == "rejected"
  }

  /// Whether this is standard input.
  package var isStandardInput: Bool { path == "-" }

  /// The file name extensions of inputs.
  private static let endings = [".ndjson", ".jsonl", ".json", ".csv", ".tsv", ".log", ".txt", ".gz", ".zip"]

  /// The names that ``isSearched(_:)`` accepts, as messages show them.
  static let searchedNames = "*.ndjson, *.json*, *.csv, *.tsv, *.log, *.txt, *.gz or *.zip"

  /// Whether a file in a directory is an input, by its name: `*.ndjson`, `*.csv`, `*.tsv`, `*.log`, `*.txt`, `*.gz`,
  /// `*.zip` and `*.json*`.
  ///
  /// The latter includes rotated files such as `a.json_2026` and `a.json.1`, but not derived files such as
  /// `a.json.bak` and `a.json~`.
  package static func isSearched(_ name: String) -> Bool {
    if endings.contains(where: name.hasSuffix) { return true }
    guard let end = name.split(separator: "/").last?.firstRange(of: ".json")?.upperBound else { return false }
    return !name.hasSuffix("~") && name[end...].firstMatch(of: /\.[A-Za-z]/) == nil
  }

  /// Returns all the extensions of a file's name that indicate its format, such as `.ndjson.gz`. The result is
  /// empty if there is none.
  package static func ending(of name: String) -> String {
    var ending = ""
    while let next = endings.first(where: name.dropLast(ending.count).hasSuffix) { ending = next + ending }
    return ending
  }
}
