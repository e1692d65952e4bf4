import FunnelModel

/// The errors that did not end the run: each is printed at once, and the most severe one determines the exit code.
struct NightlyProblems {
  /// The exit code, or nil if there was no error.
  private(set) var code: FunnelError.Code?
  /// What was printed, in order.
  private(set) var messages: [String] = []

  /// The codes, the most severe first.
  private static let order: [FunnelError.Code] = [
    .inputOutput, .cannotCreate, .locked, .configuration, .usage, .noInput, .unusableInput,
  ]

  /// Prints an error and takes it into account for the exit code.
  mutating func add(_ problem: FunnelError) {
    Console.complain(problem.message)
    messages.append(problem.message)
    let rank = { (code: FunnelError.Code) in Self.order.firstIndex(of: code) ?? 0 }
    code = code.map { rank($0) <= rank(problem.code) ? $0 : problem.code } ?? problem.code
  }

  /// Runs a step whose failure must not prevent the following ones, and returns whether it succeeded.
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
