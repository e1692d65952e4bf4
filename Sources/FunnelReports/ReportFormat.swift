/// How a report is written.
public enum ReportFormat: String, Hashable, Sendable, CaseIterable {
  /// For people at a terminal: bars, human durations, fitted to a width.
  case table
  /// For programs: contract section 5, full precision.
  case json
  /// For spreadsheets: one named report, a row per step or permission.
  case csv
  /// For issues and chats: GitHub's tables.
  case markdown
}
