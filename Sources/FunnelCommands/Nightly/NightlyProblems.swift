import FunnelModel

/// What went wrong without ending the run: each is said at once, and the worst decides how the command ends.
struct NightlyProblems {
  /// The code to end with; nil where all went well.
  private(set) var code: FunnelError.Code?

  /// From the worst downwards.
  private static let order: [FunnelError.Code] = [.inputOutput, .cannotCreate, .noInput, .unusableInput]

  /// Says a problem that changes how the command ends.
  mutating func add(_ problem: FunnelError) {
    Console.complain(problem.message)
    let rank = { (code: FunnelError.Code) in Self.order.firstIndex(of: code) ?? 0 }
    code = code.map { rank($0) <= rank(problem.code) ? $0 : problem.code } ?? problem.code
  }

  /// Does something whose failure must not keep the rest from being done. Returns whether it was done.
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

/// What the user calls a bad night.
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

  /// Says which were crossed. Returns whether any was.
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
