/// A refused line for somebody to look at: where it stands, and why it was refused.
public struct Refusal: Hashable, Sendable {
  /// The file as messages show it; `-` for standard input.
  public var file: String
  /// The number of the line, from 1.
  public var line: Int
  /// Why it was refused.
  public var reason: RejectReason
  /// A sentence a person understands.
  public var message: String

  public init(file: String, line: Int, reason: RejectReason, message: String) {
    self.file = file
    self.line = line
    self.reason = reason
    self.message = message
  }
}
