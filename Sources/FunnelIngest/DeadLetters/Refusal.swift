/// A rejected line for messages: its position and the reason for the rejection.
public struct Refusal: Hashable, Sendable {
  /// The file as messages show it, or `-` for standard input.
  public var file: String
  /// The number of the line, from 1.
  public var line: Int
  /// The reason for the rejection.
  public var reason: RejectionReason
  /// A human-readable sentence.
  public var message: String

  public init(file: String, line: Int, reason: RejectionReason, message: String) {
    self.file = file
    self.line = line
    self.reason = reason
    self.message = message
  }
}
