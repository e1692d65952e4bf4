import FunnelIngest
import FunnelModel

/// Formats rejected lines, with their locations and reasons.
enum RejectionReport {
  /// Returns a line such as `log.ndjson:4: invalid_json, column 2: a key in double quotes is missing here`.
  static func text(_ refusal: Refusal) -> String {
    "\(name(refusal.file)):\(refusal.line): \(refusal.reason.rawValue), \(refusal.message)".printable
  }

  private static func name(_ file: String) -> String { file == "-" ? "standard input" : file }
}
