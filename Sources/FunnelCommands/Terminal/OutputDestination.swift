import FunnelModel
import FunnelSystem

/// The destination of the text that a command makes.
enum OutputDestination: Hashable {
  case standardOutput
  case file(path: String)

  /// Creates the destination that `--output` names: `-` or nothing for standard output.
  init(_ option: String?) {
    if let option, option != "-" { self = .file(path: option) } else { self = .standardOutput }
  }

  /// Writes a text, to a file atomically.
  func write(_ text: String) throws(FunnelError) {
    switch self {
    case .standardOutput: Console.print(text)
    case .file(let path): try AtomicFile.write(StoragePath(path), Array(text.utf8), permissions: .shared)
    }
  }
}
