/// The output format of a report.
package enum ReportFormat: String, Hashable, Sendable, CaseIterable {
  /// Tables for a terminal, with bars and human-readable durations, fitted to its width.
  case table
  /// JSON for programs, at full precision (specification section 5).
  case json
  /// CSV for spreadsheets: one named report, with one row per step or permission.
  case csv
  /// GitHub Flavored Markdown for issues and chats.
  case markdown
  /// A self-contained HTML page with charts.
  case html
}

extension ReportFormat {
  /// Creates the format for the extension of a file name. Returns `nil` if the extension is unknown.
  package init?(path: String) {
    switch Self.ending(of: path) {
    case "txt": self = .table
    case "json": self = .json
    case "csv": self = .csv
    case "md", "markdown": self = .markdown
    case "html", "htm": self = .html
    default: return nil
    }
  }

  /// Returns the extension of a file name in lower case without its dot, or an empty string if there is none.
  package static func ending(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    // A leading dot marks a hidden file and does not begin an extension.
    guard let dot = name.dropFirst().lastIndex(of: ".") else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}
