package import FunnelDecoding
package import FunnelModel

/// Formats rejected lines, with their locations and reasons.
package enum RejectionReport {
  /// Returns a line such as `log.ndjson:4: invalid_json, column 2: a key in double quotes is missing here`.
  package static func text(_ refusal: Refusal) -> String {
    "\(name(refusal.file)):\(refusal.line): \(refusal.reason.rawValue), \(refusal.message)".printable
  }

  private static func name(_ file: String) -> String { file == "-" ? "standard input" : file }
}

/// Formats counts of rejected lines.
package enum RejectionSummary {
  /// Returns a sentence such as `3 of 700 lines were rejected: 2 invalid_json, 1 personal_data`.
  package static func sentence(_ counts: InputCounts) -> String {
    "\(Quantity.count(counts.rejectedCount)) of \(Quantity.counted(counts.lines, "line")) \(counts.rejectedCount == 1 ? "was" : "were")"
      + " rejected: \(byReason(counts.rejected))"
  }

  /// Returns the counts by reason, most frequent first, such as `2 invalid_json, 1 personal_data`.
  package static func byReason(_ rejected: [RejectionReason: Int]) -> String {
    rejected.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
      .map { "\(Quantity.count($0.value)) \($0.key.rawValue)" }.joined(separator: ", ")
  }

  /// Checks that a file has an event if it has lines.
  ///
  /// - Parameters:
  ///   - paths: The paths of the files. Never empty.
  ///   - command: The command that shows the reasons.
  ///   - first: The first rejection, or `nil` if it is not known.
  /// - Throws: `unusableInput` if no line is a valid event.
  package static func requireEvents(
    _ counts: InputCounts, of paths: [String], command: String, first: Rejection? = nil
  ) throws(FunnelError) {
    guard counts.lines > 0, counts.events == 0 else { return }
    let example = first.map { ", such as: \($0.message.printable)" } ?? ""
    throw FunnelError(
      .unusableInput,
      "no line is a valid event, \(paths[0].printable), \(sentence(counts))\(example), see all with '\(command)'")
  }
}
