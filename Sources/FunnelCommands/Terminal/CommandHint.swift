import FunnelModel

/// A command that people are told to run next, to be pasted into a shell.
enum CommandHint {
  /// `funnel rejected ls --store 'my store'`: without the store where the command would find it by itself.
  static func text(_ command: String, store path: String) -> String {
    var option = StoreOption()
    option.store = nil
    if path == option.path { return "funnel \(command)" }
    let value = quoted(path)
    // What begins like an option is taken for one, unless it is bound to its own.
    return "funnel \(command) --store\(path.hasPrefix("-") ? "=" : " ")\(value)"
  }

  /// `funnel log keys a.ndjson 'my logs'`: the command on input files; of many only that they are to be named again.
  static func text(_ command: String, inputs: [String]) -> String {
    guard inputs.count <= inputsShownMax else { return "funnel \(command) INPUT…" }
    // Behind a double dash nothing is taken for an option.
    let dashes = inputs.contains { $0.hasPrefix("-") } ? ["--"] : []
    return (["funnel \(command)"] + dashes + inputs.map(quoted)).joined(separator: " ")
  }

  /// How many inputs a hint repeats before it is no longer read at a glance.
  private static let inputsShownMax = 3

  /// A word of a POSIX shell.
  static func quoted(_ word: String) -> String {
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
