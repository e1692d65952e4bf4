/// The error type of the tool: a message of one line with the problem, its location and a remedy, and an exit code.
package struct FunnelError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The exit codes, from BSD's `sysexits.h`.
  package enum Code: Int32, Hashable, Sendable {
    /// The command line contains a mistake.
    case usage = 64
    /// The input exists but can't be used.
    case unusableInput = 65
    /// The input does not exist or can't be read.
    case noInput = 66
    /// An output file can't be created.
    case cannotCreate = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// Another process has locked the store.
    case locked = 75
    /// A schema or another piece of configuration is invalid.
    case configuration = 78
  }

  /// The exit code.
  package let code: Code
  /// One line with the problem, its location and the remedy.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
