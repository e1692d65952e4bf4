/// The one shape of error: what went wrong, where, and what to do about it, in one line; and the exit code it ends with.
public struct FunnelError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure, each with its exit code of BSD's `sysexits.h`.
  public enum Code: Int32, Hashable, Sendable {
    /// A mistake in the command line.
    case usage = 64
    /// The input is there but can't be used.
    case unusableInput = 65
    /// There is no such input, or it can't be read.
    case noInput = 66
    /// An output can't be made.
    case cannotCreate = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// Another process holds the store.
    case locked = 75
    /// A schema or another piece of configuration is wrong.
    case configuration = 78
  }

  /// What kind of failure it is.
  public var code: Code
  /// One line that says what, where, and what to do.
  public var message: String

  /// Makes an error from a code and a whole sentence.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
