import ArgumentParser
import FunnelKit
import FunnelModel

/// The query options that all commands that count groups share. `SplitOptions` has those for reports only.
struct QueryOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only people who started at or after this: a time, a date, monday, yesterday, or 24h, 7d, 4w ago.", valueName: "when"))
  var since: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only people who started before this: a time, a date, monday, yesterday, or 24h, 7d, 4w ago.", valueName: "when"))
  var until: String?

  @OptionGroup var clock: ClockOption

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Use the log as it was after this commit, or at this time, without events forgotten or undone since.",
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
    help: ArgumentHelp("Order in which steps must be reached: ordered, strict or any.", valueName: "order"),
    completion: .list(StepOrder.allCases.map(\.rawValue)))
  var order: String?

  @Option(
    help: ArgumentHelp(
      "Which start of a person counts: first (default), or best, the start in the period that got furthest, as in ClickHouse and PostHog.",
      valueName: "rule"),
    completion: .list(AnchorRule.allCases.map(\.rawValue)))
  var anchor: String?

  @Option(
    help: ArgumentHelp(
      "What to count: person, subject, attempt or entry, which is one pass through the flow (default: the flow's own).",
      valueName: "unit"),
    completion: .list(FlowDefinition.CountBy.allCases.map(\.rawValue)))
  var countBy: String?

  @Option(
    help: ArgumentHelp(
      "Do not merge an account with more than this many subjects into one person (default: \(Limits.subjectsOfPersonMaxDefault)).",
      valueName: "n"))
  var mergeLimit: Int?

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only people for whom this is true: KEY=A,B or != (any of a list; empty: absent), ~ or !~ (with * and ?), <, <=, >, >= "
        + "(numbers, versions). KEY as in --by, or subject; KEY=@FILE reads the values from a file, one per line (repeatable, all must "
        + "hold).",
      valueName: "condition")
  )
  var conditions: [String] = []

  @Option(
    help: ArgumentHelp(
      "If the first event lacks a key: anchor counts it as absent (default), known uses the first later event that has the key.",
      valueName: "event"),
    completion: .list(Attribution.allCases.map(\.rawValue)))
  var attribution: String?

  @Flag(name: .customLong("internal"), help: "Also count the subjects listed in the store's internal.txt.")
  var countsInternal = false

  @Option(help: ArgumentHelp("Only this flow (repeatable).", valueName: "app/flow[@version]"), completion: Completions.flows)
  var flow: [String] = []

  /// Returns the query that the options define.
  ///
  /// - Throws: `usage` if an option is not valid.
  func query() throws(FunnelError) -> ReportQuery {
    var query = ReportQuery(now: try clock.present())
    query.timeZone = try PeriodOptions.rules(ofZone: tz)
    let period = PeriodOptions(of: query)
    let bounds = try period.bounds(since: since, until: until)
    query.since = bounds.since
    query.until = bounds.until
    query.asOf = try asOf.map { (text) throws(FunnelError) in try period.logMoment(text, option: "--as-of") }
    query.window = try window.map { (text) throws(FunnelError) in
      guard let span = TimeSpan(text) else {
        throw FunnelError(
          .usage,
          "not a window, --window \(text.printable), write it as 500ms, 90s, 30m, 12h, 7d or 2w, at most \(TimeSpan.longest)")
      }
      guard span.milliseconds > 0 else {
        throw FunnelError(.usage, "a window of no length, --window \(text.printable), give a longer one, such as 7d")
      }
      return span
    }
    query.order = try ChoiceOption.choice(order, option: "--order") ?? .ordered
    query.anchor = try ChoiceOption.choice(anchor, option: "--anchor") ?? .first
    query.countBy = try ChoiceOption.choice(countBy, option: "--count-by")
    if let mergeLimit {
      guard mergeLimit > 0 else {
        throw FunnelError(.usage, "not a number of subjects, --merge-limit \(mergeLimit), give 1 or more")
      }
      query.subjectsOfPersonMax = mergeLimit
    }
    query.attribution = try ChoiceOption.choice(attribution, option: "--attribution") ?? .anchor
    query.countsInternal = countsInternal
    try Self.checkCount(of: conditions, option: "--where")
    query.conditions = try conditions.map { (text) throws(FunnelError) in try ConditionOption.condition(text) }
    return query
  }

  /// Throws `usage` if a repeatable option is given more than ``Limits/queryTermsMax`` times.
  static func checkCount(of texts: [String], option: String) throws(FunnelError) {
    guard texts.count > Limits.queryTermsMax else { return }
    throw FunnelError(
      .usage, "too many options, \(option), \(texts.count) of at most \(Limits.queryTermsMax), leave some of them out")
  }
}
