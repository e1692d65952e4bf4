import FunnelModel

/// The errors that did not end the run: each is printed at once, and the most severe one determines the exit code.
struct NightlyProblems {
  /// The exit code, or nil if there was no error.
  private(set) var code: FunnelError.Code?

  /// The codes, the most severe first.
  private static let order: [FunnelError.Code] = [.inputOutput, .cannotCreate, .noInput, .unusableInput]

  /// Prints an error and takes it into account for the exit code.
  mutating func add(_ problem: FunnelError) {
    Console.complain(problem.message)
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

/// The thresholds beyond which the user considers a night failed.
struct NightlyThresholds {
  private let rejectRateMax: Double?
  private let rejectRateText: String
  private let eventsMin: Int?

  init(maxRejectRate: String?, minEvents: Int?) throws(FunnelError) {
    rejectRateMax = try maxRejectRate.map { (text) throws(FunnelError) in
      try RateOption.rate(text, option: "--max-reject-rate")
    }
    rejectRateText = maxRejectRate ?? ""
    eventsMin = minEvents
  }

  /// Prints the thresholds that were crossed, and returns whether any was.
  func complain(about outcome: NightlyOutcome, store: String) -> Bool {
    var isCrossed = false
    if let rejectRateMax, outcome.rejectRate > rejectRateMax {
      Console.complain(
        "too many lines were rejected, \(outcome.rejected) of \(outcome.lines), more than --max-reject-rate \(rejectRateText),"
          + " see '\(CommandHint.text("rejected ls", store: store))'")
      isCrossed = true
    }
    if let eventsMin, outcome.accepted < eventsMin {
      Console.complain(
        "too few events, \(outcome.accepted) \(outcome.accepted == 1 ? "is" : "are") new to the store, fewer than --min-events \(eventsMin),"
          + " check whether the upload to the inbox works")
      isCrossed = true
    }
    return isCrossed
  }
}
