import FunnelIngest

/// Formats counts of rejected lines.
enum RejectionSummary {
  /// Returns a sentence such as `3 of 700 lines were rejected: 2 invalid_json, 1 personal_data`.
  static func sentence(_ counts: InputCounts) -> String {
    "\(Quantity.count(counts.rejectedCount)) of \(Quantity.counted(counts.lines, "line")) \(counts.rejectedCount == 1 ? "was" : "were")"
      + " rejected: \(byReason(counts.rejected))"
  }

  /// Returns the counts by reason, most frequent first, such as `2 invalid_json, 1 personal_data`.
  static func byReason(_ rejected: [RejectionReason: Int]) -> String {
    rejected.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
      .map { "\(Quantity.count($0.value)) \($0.key.rawValue)" }.joined(separator: ", ")
  }
}
