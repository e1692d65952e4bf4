import FunnelIngest
import FunnelModel

/// Refused lines for the person who can mend them: the first ones with their places, and what a whole file is.
enum RefusalReport {
  /// `log.ndjson:4: invalid_json, column 2: a key in double quotes is missing here`.
  static func text(_ refusal: Refusal) -> String {
    "\(name(refusal.file)):\(refusal.line): \(refusal.reason.rawValue), \(refusal.message)".printable
  }

  /// What to do about a file that is not one object a line.
  static func text(_ file: MisshapenFile) -> String {
    let (what, filter) =
      switch file.shape {
      case .array: ("a JSON array", "'.[]'")
      case .spreadObjects: ("JSON over several lines", ".")
      }
    let path = CommandHint.quoted(file.file)
    let command =
      switch file.file {
      case "-": "jq -c \(filter)"
      case let name where name.hasSuffix(".gz"): "zcat \(path) | jq -c \(filter)"
      default: "jq -c \(filter) \(path)"
      }
    return "\(name(file.file).printable) looks like \(what); one object a line is needed: \(command)"
  }

  /// The first refusals, those of a file that is told as a whole left out.
  static func lines(_ refusals: [Refusal], _ files: [MisshapenFile]) -> [String] {
    let told = Set(files.map(\.file))
    return files.map(text) + refusals.filter { !told.contains($0.file) }.map(text)
  }

  private static func name(_ file: String) -> String { file == "-" ? "standard input" : file }
}
