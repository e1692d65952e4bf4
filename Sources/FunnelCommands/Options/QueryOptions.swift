import ArgumentParser
import FunnelModel

/// The query options of all commands that count groups. `SplitOptions` has those that only reports take.
struct QueryOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only groups that began at or after this: a time, a date, or 24h, 7d, 4w ago.", valueName: "when"))
  var since: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only groups that began before this: a time, a date, or 24h, 7d, 4w ago.", valueName: "when"))
  var until: String?

  @OptionGroup var clock: ClockOption

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The log as it stood after this commit, or at this time; what was forgotten or undone since stays gone.",
      valueName: "commit|when"))
  var asOf: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Time zone of dates, days, weeks and months (default: UTC).", valueName: "zone"),
    completion: Completions.timeZones)
  var tz: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Conversion window instead of the flow's own: 500ms, 90s, 30m, 12h, 7d, 2w.", valueName: "span"))
  var window: String?

  @Option(
    help: ArgumentHelp("How steps must follow one another: ordered, strict or any.", valueName: "order"),
    completion: .list(StepOrder.allCases.map(\.rawValue)))
  var order: String?

  @Option(
    help: ArgumentHelp(
      "Which start counts: first (default), or best, the one in the period that came furthest, as ClickHouse and PostHog count.",
      valueName: "rule"),
    completion: .list(AnchorRule.allCases.map(\.rawValue)))
  var anchor: String?

  @Option(
    help: ArgumentHelp(
      "What counts once: person, subject, attempt or entry, each pass through the flow (default: the flow's own).",
      valueName: "unit"),
    completion: .list(FlowDefinition.CountBy.allCases.map(\.rawValue)))
  var countBy: String?

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only groups for which this holds: KEY=A,B or != (any of a list; nothing: absent), ~ or !~ (with * and ?), <, <=, >, >= "
        + "(numbers, versions). KEY as in --by, or subject; KEY=@FILE takes the values from a file, one a line (repeatable, all must "
        + "hold).",
      valueName: "condition")
  )
  var conditions: [String] = []

  @Option(
    help: ArgumentHelp(
      "The value of a key that the first event lacks: anchor (none) or known (that of the first later event that has the key).",
      valueName: "event"),
    completion: .list(Attribution.allCases.map(\.rawValue)))
  var attribution: String?

  @Flag(name: .customLong("internal"), help: "Count the subjects that the store lists in internal.txt, too.")
  var countsInternal = false

  @Option(help: ArgumentHelp("Only this flow (repeatable).", valueName: "app/flow[@version]"), completion: Completions.flows)
  var flow: [String] = []

  /// Returns the query that the options define.
  func query() throws(FunnelError) -> ReportQuery {
    var query = ReportQuery(now: try clock.present())
    query.timeZone = try tz.map { (name) throws(FunnelError) in try TimeZoneOption.rules(named: name) } ?? .utc
    let moments = MomentOption(now: query.now, timeZone: query.timeZone)
    query.since = try moments.moment(since, option: "--since")
    query.until = try moments.moment(until, option: "--until")
    try MomentOption.requireOrder(since: query.since, until: query.until)
    query.asOf = try asOf.map { (text) throws(FunnelError) in try moments.logMoment(text, option: "--as-of") }
    query.window = try window.map { (text) throws(FunnelError) in
      guard let span = TimeSpan(text) else {
        throw FunnelError(
          .usage,
          "not a window, --window \(text.printable), write it as 500ms, 90s, 30m, 12h, 7d or 2w, at most \(TimeSpan.longest)")
      }
      return span
    }
    query.order = try ChoiceOption.choice(order, option: "--order") ?? .ordered
    query.anchor = try ChoiceOption.choice(anchor, option: "--anchor") ?? .first
    query.countBy = try ChoiceOption.choice(countBy, option: "--count-by")
    query.attribution = try ChoiceOption.choice(attribution, option: "--attribution") ?? .anchor
    query.countsInternal = countsInternal
    try Self.checkCount(of: conditions, option: "--where")
    for text in conditions { query.conditions.append(try ConditionOption.condition(text)) }
    return query
  }

  /// Throws a usage error if a repeatable option is given too often.
  static func checkCount(of texts: [String], option: String) throws(FunnelError) {
    guard texts.count > Limits.queryTermsMax else { return }
    throw FunnelError(
      .usage, "\(texts.count) times \(option), at most \(Limits.queryTermsMax) are allowed, leave some of them out")
  }
}
