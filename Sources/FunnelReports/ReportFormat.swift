/// How a report is written.
public enum ReportFormat: String, Hashable, Sendable, CaseIterable {
  /// For programs: contract section 5, full precision.
  case json
}
