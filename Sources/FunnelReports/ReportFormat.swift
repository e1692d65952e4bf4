/// How a report is written.
public enum ReportFormat: String, Hashable, Sendable, CaseIterable {
  /// For people at a terminal: bars, human durations, fitted to a width.
  case table
  /// For programs: specification section 5, full precision.
  case json
  /// For spreadsheets: one named report, a row per step or permission.
  case csv
  /// For issues and chats: GitHub's tables.
  case markdown
}

extension ReportFormat {
  /// The format a file's name asks for by its ending, or nil if the ending is of none.
  public init?(path: String) {
    switch Self.ending(of: path) {
    case "txt": self = .table
    case "json": self = .json
    case "csv": self = .csv
    case "md", "markdown": self = .markdown
    default: return nil
    }
  }

  /// What stands behind the last dot of a file's name, in lower case; empty where there is none.
  public static func ending(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    // A dot in front hides a file and is no ending.
    guard let dot = name.dropFirst().lastIndex(of: ".") else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}
