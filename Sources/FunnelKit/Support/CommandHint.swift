import FunnelModel

/// Formats commands that messages suggest to the user, quoted for a shell.
package enum CommandHint {
  /// Returns a command such as `funnel rejected ls --store 'my store'`. Omits the option if the store is the default one.
  package static func text(_ command: String, store path: String) -> String {
    if path == Environment.storePath { return "funnel \(command)" }
    let value = quoted(path)
    // A value that starts with a dash must be joined to its option by an equals sign.
    return "funnel \(command) --store\(path.hasPrefix("-") ? "=" : " ")\(value)"
  }

  /// Returns a command on input files such as `funnel log keys a.ndjson 'my logs'`, with a placeholder if there are many.
  package static func text(_ command: String, inputs: [String]) -> String {
    guard inputs.count <= inputsShownMax else { return "funnel \(command) INPUT…" }
    // After a double dash nothing is parsed as an option.
    let dashes = inputs.contains { $0.hasPrefix("-") } ? ["--"] : []
    return (["funnel \(command)"] + dashes + inputs.map(quoted)).joined(separator: " ")
  }

  /// The largest number of inputs that a command lists, to keep it readable.
  private static let inputsShownMax = 3

  /// Returns a word quoted for a POSIX shell.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: byte >= 0x80 || "_-./=:@%+,".utf8.contains(byte)
      }
    }
    return isPlain ? word.printable : "'\(word.replacing("'", with: #"'\''"#).printable)'"
  }
}
