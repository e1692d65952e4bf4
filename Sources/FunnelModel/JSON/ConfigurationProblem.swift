/// A problem in a configuration file, with its location.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
  /// The file's name, for messages.
  public var source: String
  /// The line and column of the problem.
  public var position: JSONDocument.Position
  /// The path to the value: `$.steps[2].asks`.
  public var path: String
  /// The problem, and what is allowed instead.
  public var message: String

  /// Creates a problem at a value of a file.
  public init(source: String, position: JSONDocument.Position, path: String, message: String) {
    self.source = source
    self.position = position
    self.path = path
    self.message = message
  }

  /// The problem as one line: `cleaner.json:12:7: $.steps[2].asks: an array is needed, not a string`.
  public var description: String {
    "\(source.printable):\(position.line):\(position.column): \(path): \(message)"
  }
}

extension FunnelError {
  /// Creates an error from the first problem of a configuration file, with the number of further problems.
  ///
  /// - Precondition: There is at least one problem.
  public init(_ problems: [ConfigurationProblem]) {
    precondition(!problems.isEmpty, "an error needs a problem")
    let furtherCount = problems.count - 1
    let more = furtherCount == 0 ? "" : " (and \(furtherCount) more, see 'funnel schema check')"
    self.init(.configuration, problems[0].description + more)
  }
}
