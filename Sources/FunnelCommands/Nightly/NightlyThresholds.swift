import FunnelModel

/// The thresholds of `--max-reject-rate` and `--min-events`, beyond which a nightly run exits with code 1.
struct NightlyThresholds {
  private let rejectRateMax: Double?
  private let rejectRateText: String
  private let eventsMin: Int?

  /// Parses the options.
  ///
  /// - Throws: `usage` if the rate is not a share.
  init(maxRejectRate: String?, minEvents: Int?) throws(FunnelError) {
    rejectRateMax = try maxRejectRate.map { (text) throws(FunnelError) in
      try RateOption.rate(text, option: "--max-reject-rate")
    }
    rejectRateText = maxRejectRate ?? ""
    eventsMin = minEvents
  }

  /// Returns a message for each crossed threshold.
  func crossed(by outcome: NightlyOutcome, store: String) -> [NightlyRunMessage] {
    var messages: [NightlyRunMessage] = []
    if let rejectRateMax, outcome.rejectRate > rejectRateMax {
      messages.append(
        NightlyRunMessage(
          .threshold, rule: "--max-reject-rate",
          "too many lines were rejected, \(outcome.rejected) of \(outcome.lines), more than --max-reject-rate \(rejectRateText),"
            + " see '\(CommandHint.text("rejected ls", store: store))'"))
    }
    if let eventsMin, outcome.accepted < eventsMin {
      messages.append(
        NightlyRunMessage(
          .threshold, rule: "--min-events",
          "too few events, \(outcome.accepted) \(outcome.accepted == 1 ? "is" : "are") new in the store, fewer than --min-events \(eventsMin),"
            + " check whether the upload to the inbox works"))
    }
    return messages
  }
}
