import FunnelModel

/// The errors after which a nightly run continues. Each is printed immediately, and the most severe one
/// determines the exit code.
struct NightlyProblems {
  /// The most severe error code, or `nil` if there was no error.
  private(set) var code: FunnelError.Code?
  /// The printed messages, in order.
  private(set) var messages: [String] = []

  /// The error codes, most severe first.
  private static let order: [FunnelError.Code] = [
    .inputOutput, .cannotCreate, .locked, .configuration, .usage, .noInput, .unusableInput,
  ]

  /// Prints an error and updates the exit code.
  mutating func add(_ problem: FunnelError) {
    Console.complain(problem.message)
    messages.append(problem.message)
    let rank = { (code: FunnelError.Code) in Self.order.firstIndex(of: code) ?? 0 }
    code = code.map { rank($0) <= rank(problem.code) ? $0 : problem.code } ?? problem.code
  }

  /// Runs a body whose failure must not prevent later ones. Returns whether it succeeded.
  mutating func tolerating(_ body: () throws(FunnelError) -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      add(error)
      return false
    }
  }
}
