import ArgumentParser
import FunnelKit
import FunnelModel

/// The `--now` option, which makes the report of any day reproducible.
struct ClockOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Treat this as the current time: an RFC 3339 time, or a date in UTC (default: the clock).", valueName: "time"))
  var now: String?

  /// Returns the value of the option, or the current time. A command should call this only once.
  func present() throws(FunnelError) -> Timestamp {
    guard let now else { return WallClock.now() }
    if let time = Timestamp(rfc3339: now) { return time }
    if let day = CivilDate(now) { return day.midnight }
    throw FunnelError(
      .usage, "not a time, --now \(now.printable), write it as 2026-11-20T10:15:30Z or 2026-11-20")
  }
}

/// Parses times given by the user: a time, a date, or a span before now.
struct MomentOption {
  var now: Timestamp
  var timeZone: TimeZoneRules

  /// Returns the time that a text denotes, or `nil` if there is no text. A date denotes its midnight in the time zone.
  ///
  /// - Throws: `usage` if the text is not a time.
  func moment(_ text: String?, option: String) throws(FunnelError) -> Timestamp? {
    guard let text else { return nil }
    if let time = Timestamp(rfc3339: text) { return time }
    if let day = CivilDate(text) { return timeZone.midnight(of: day) }
    if let span = TimeSpan(text) { return Timestamp(milliseconds: now.milliseconds - span.milliseconds) }
    throw FunnelError(
      .usage,
      """
      not a time, \(option) \(text.printable), write it as 2026-11-20, 2026-11-20T10:15:30Z, or 24h, 7d, 4w before now, at most \
      \(TimeSpan.longest)
      """)
  }

  /// Returns the state of a log that a text denotes: a commit number or a time.
  func logMoment(_ text: String, option: String) throws(FunnelError) -> LogMoment {
    if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      guard let number = Int(text) else {
        throw FunnelError(.noInput, "no such commit, \(option) \(text), see 'funnel log commits'")
      }
      return .commit(number)
    }
    guard let time = try? moment(text, option: option) else {
      throw FunnelError(
        .usage,
        "neither a commit nor a time, \(option) \(text.printable), write it as 41, 2026-11-20, 2026-11-20T10:15:30Z, or 7d before now"
      )
    }
    return .time(time)
  }

  /// Throws `usage` if both ends are given and the range is empty.
  static func requireOrder(since: Timestamp?, until: Timestamp?) throws(FunnelError) {
    guard let since, let until, since >= until else { return }
    throw FunnelError(.usage, "an empty range, --since \(since) is not before --until \(until), swap or change them")
  }
}
