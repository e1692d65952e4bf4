/// One mistake in a configuration file: where it stands, and what would be right there.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
  /// The file, as the user knows it.
  public var source: String
  /// Where in the file.
  public var position: JSONDocument.Position
  /// The way to the value: `$.steps[2].asks`.
  public var path: String
  /// What is wrong, and what is allowed.
  public var message: String

  public init(source: String, position: JSONDocument.Position, path: String, message: String) {
    self.source = source
    self.position = position
    self.path = path
    self.message = message
  }

  /// `cleaner.json:12:7: $.steps[2].asks: an array is needed, not a string`.
  public var description: String {
    "\(source.printable):\(position.line):\(position.column): \(path): \(message)"
  }
}

extension FunnelError {
  /// An error of the first problem of a configuration file; of further ones it tells the number.
  ///
  /// - Precondition: there is at least one problem.
  public init(_ problems: [ConfigurationProblem]) {
    precondition(!problems.isEmpty, "an error needs a problem")
    let rest = problems.count - 1
    let more = rest == 0 ? "" : " (and \(rest) more, see 'funnel schema check')"
    self.init(.configuration, problems[0].description + more)
  }
}
