/// A problem in a configuration file, with its location.
package struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
  /// The file's name, for messages.
  package let source: String
  /// The line and column of the problem.
  package let position: JSONDocument.Position
  /// The path to the value: `$.steps[2].asks`.
  package let path: String
  /// The problem, and what is allowed instead.
  package let message: String

  /// The problem as one line: `cleaner.json:12:7: $.steps[2].asks: an array is needed, not a string`.
  package var description: String {
    "\(source.printable):\(position.line):\(position.column): \(path): \(message)"
  }
}

extension FunnelError {
  /// Creates an error from the first problem of a configuration file, with the number of further problems.
  ///
  /// - Parameter command: The command that lists all problems of such files, or `nil` if there is none.
  /// - Precondition: There is at least one problem.
  package init(_ problems: [ConfigurationProblem], listedBy command: String? = "funnel schema check") {
    precondition(!problems.isEmpty, "an error needs a problem")
    let furtherCount = problems.count - 1
    let hint = command.map { ", see '\($0)'" } ?? ""
    let more = furtherCount == 0 ? "" : " (and \(furtherCount) more\(hint))"
    self.init(.configuration, problems[0].description + more)
  }
}

/// All problems of a configuration file, in the order of the file.
package struct ConfigurationFailure: Error, Hashable, Sendable {
  /// The problems, at least one.
  package let problems: [ConfigurationProblem]
}

extension [ConfigurationProblem] {
  /// The problems sorted by their position in the file.
  var inFileOrder: [ConfigurationProblem] {
    enumerated().sorted { first, second in
      let a = first.element.position
      let b = second.element.position
      return (a.line, a.column, first.offset) < (b.line, b.column, second.offset)
    }.map(\.element)
  }
}
