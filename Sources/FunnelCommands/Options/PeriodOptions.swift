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

/// The clock and the time zone by which the options of a period are read: `--since`, `--until` and similar ones.
struct PeriodOptions {
  let now: Timestamp
  let timeZone: TimeZoneRules

  init(now: Timestamp, timeZone: TimeZoneRules) {
    self.now = now
    self.timeZone = timeZone
  }

  /// Creates the options for a query.
  init(of query: ReportQuery) {
    now = query.now
    timeZone = query.timeZone
  }

  /// Creates the options of a command.
  ///
  /// - Parameter zone: The value of `--tz`, or `nil` for UTC.
  /// - Throws: `usage` if the time or the zone is not valid.
  init(_ clock: ClockOption, zone: String? = nil) throws(FunnelError) {
    self.init(now: try clock.present(), timeZone: try Self.rules(ofZone: zone))
  }

  /// Returns the rules of a time zone, or those of UTC if there is no name.
  static func rules(ofZone name: String?) throws(FunnelError) -> TimeZoneRules {
    guard let name else { return .utc }
    return try TimeZoneRules.named(name)
  }

  /// Returns the time that a text denotes, or `nil` if there is no text.
  func moment(ifGiven text: String?, option: String) throws(FunnelError) -> Timestamp? {
    try text.map { (text) throws(FunnelError) in try moment(text, option: option) }
  }

  /// Returns the time that a text denotes: a time, a date or the name of a day, which denotes its midnight in the time zone, or a
  /// span before now.
  ///
  /// - Throws: `usage` if the text is not a time.
  func moment(_ text: String, option: String) throws(FunnelError) -> Timestamp {
    if let time = Timestamp(rfc3339: text) { return time }
    if let day = CivilDate(text) ?? CivilDate(named: text, today: timeZone.day(at: now.milliseconds)) {
      return timeZone.midnight(of: day)
    }
    if let span = TimeSpan(text) { return Timestamp(milliseconds: now.milliseconds - span.milliseconds) }
    throw FunnelError(
      .usage,
      """
      not a time, \(option) \(text.printable), write it as 2026-11-20, 2026-11-20T10:15:30Z, monday, yesterday, or 24h, 7d, 4w before \
      now, at most \(TimeSpan.longest)
      """)
  }

  /// Returns the state of a log that a text denotes: a commit number or a time.
  func logMoment(_ text: String, option: String) throws(FunnelError) -> LogMoment {
    if !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) {
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

  /// Returns the times that `--since` and `--until` denote, `nil` where an option is not given.
  ///
  /// - Throws: `usage` if a text is not a time, or if the range is empty.
  func bounds(since: String?, until: String?) throws(FunnelError) -> (since: Timestamp?, until: Timestamp?) {
    let start = try moment(ifGiven: since, option: "--since")
    let end = try moment(ifGiven: until, option: "--until")
    if let start, let end, start >= end {
      throw FunnelError(.usage, "an empty range, --since \(start) is not before --until \(end), swap or change them")
    }
    return (start, end)
  }
}
