import FunnelIngest
import FunnelModel

/// Formats rejected lines for the user: the first ones with their locations, and advice for files of the wrong shape.
enum RefusalReport {
  /// Returns a line such as `log.ndjson:4: invalid_json, column 2: a key in double quotes is missing here`.
  static func text(_ refusal: Refusal) -> String {
    "\(name(refusal.file)):\(refusal.line): \(refusal.reason.rawValue), \(refusal.message)".printable
  }

  /// Returns advice for a file that does not contain one object per line.
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

  /// Returns advice for the misshapen files and the first refusals of all other files.
  static func lines(_ refusals: [Refusal], _ files: [MisshapenFile]) -> [String] {
    let told = Set(files.map(\.file))
    return files.map(text) + refusals.filter { !told.contains($0.file) }.map(text)
  }

  private static func name(_ file: String) -> String { file == "-" ? "standard input" : file }
}
