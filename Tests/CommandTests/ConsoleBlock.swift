import Foundation

/// A block of a page that shows commands with their output, as a terminal would: ```` ```console ````.
struct ConsoleBlock {
  /// A command with its standard output and standard error, in the order printed.
  struct Command {
    var line: String
    var output = ""
  }

  /// The page, as a path in the repository.
  let page: String
  /// The line of the page at which the block begins, from 1.
  let line: Int
  private(set) var commands: [Command] = []

  /// Returns the blocks of a page, in order.
  static func blocks(of page: String) throws -> [ConsoleBlock] {
    var blocks: [ConsoleBlock] = []
    var isInside = false
    for (index, line) in try text(of: page).split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line == "```console" {
        blocks.append(ConsoleBlock(page: page, line: index + 1))
        isInside = true
      } else if line == "```" {
        isInside = false
      } else if isInside {
        blocks[blocks.count - 1].append(String(line))
      }
    }
    return blocks
  }

  /// Returns the first block of a language on a page.
  static func first(_ language: String, of page: String) throws -> String {
    let parts = try text(of: page).components(separatedBy: "```\(language)\n")
    return parts.count < 2 ? "" : String(parts[1].components(separatedBy: "\n```")[0]) + "\n"
  }

  private static func text(of page: String) throws -> String {
    let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: repository.appending(path: page), encoding: .utf8)
  }

  private mutating func append(_ line: String) {
    if line.hasPrefix("$ ") {
      commands.append(Command(line: String(line.dropFirst(2))))
    } else if !commands.isEmpty {
      commands[commands.count - 1].output += line + "\n"
    }
  }
}
