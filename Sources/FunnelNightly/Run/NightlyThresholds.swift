import FunnelKit

/// The thresholds of `--max-reject-rate` and `--min-events`, beyond which a nightly run exits with code 1.
package struct NightlyThresholds {
  /// The largest share of rejected lines.
  package struct RejectRate {
    let share: Double
    /// The share as the user wrote it.
    let text: String

    package init(share: Double, text: String) {
      precondition((0...1).contains(share), "a share is from 0 to 1")
      self.share = share
      self.text = text
    }
  }

  private let rejectRateMax: RejectRate?
  private let eventsMin: Int?

  /// Creates thresholds. One that is `nil` is never crossed.
  package init(rejectRateMax: RejectRate?, eventsMin: Int?) {
    precondition(eventsMin ?? 0 >= 0, "a number of events is not negative")
    self.rejectRateMax = rejectRateMax
    self.eventsMin = eventsMin
  }

  /// Returns a message for each crossed threshold.
  func crossed(by outcome: NightlyOutcome, store: String) -> [NightlyRunMessage] {
    var messages: [NightlyRunMessage] = []
    if let rejectRateMax, outcome.rejectRate > rejectRateMax.share {
      messages.append(
        NightlyRunMessage(
          .threshold, rule: "--max-reject-rate",
          "too many lines were rejected, \(outcome.rejected) of \(outcome.lines), more than --max-reject-rate \(rejectRateMax.text),"
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
