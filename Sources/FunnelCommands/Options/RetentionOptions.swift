import ArgumentParser
import FunnelModel
import FunnelReports

/// The options of the report `retention`: the periods, and the events that are a return. Its `--from` is one of
/// ``ImportOptions``, because the format of records has the same name.
struct RetentionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "With retention: the number of periods, 1 to \(Limits.retentionPeriodsMax) (default: \(RetentionQuery.periodCountDefault)).",
      valueName: "n"))
  var periods: Int?

  @Option(
    name: .customLong("return"),
    help: ArgumentHelp(
      "With retention: an event by which people come back (repeatable; default: any event of the app).", valueName: "event"))
  var returnEvents: [String] = []

  /// Adds the options to a query.
  ///
  /// - Parameters:
  ///   - selection: The reports that the query is for.
  ///   - imports: The options with `--from`, the event from which periods are measured.
  /// - Throws: `usage` if an option is not valid, or given for another report.
  func apply(
    to query: inout ReportQuery, for selection: ReportSelection, with imports: ImportOptions
  ) throws(FunnelError) {
    guard selection.isOfRetention else {
      if let given = given(imports.retentionStart) {
        throw FunnelError(
          .usage, "\(given.name) is only for retention, \(given.option), write: funnel report retention \(given.option)")
      }
      return
    }
    var retention = RetentionQuery()
    if let periods {
      guard (1...Limits.retentionPeriodsMax).contains(periods) else {
        throw FunnelError(
          .usage, "not a number of periods, --periods \(periods), give a number from 1 to \(Limits.retentionPeriodsMax)")
      }
      retention.periodCount = periods
    }
    if let start = imports.retentionStart { retention.start = start }
    retention.returnEvents = try Self.events(returnEvents)
    query.retention = retention
  }

  /// Returns the different names of return events.
  ///
  /// - Throws: `usage` if there are too many, or a text is no name of an event.
  static func events(_ texts: [String]) throws(FunnelError) -> [String] {
    try QueryOptions.checkCount(of: texts, option: "--return")
    var events: [String] = []
    for text in texts where !events.contains(text) {
      guard case .event = EventKey(text) else {
        throw FunnelError(
          .usage,
          "not an event, --return \(text.printable), write lower-case letters, digits and underscores, beginning with a letter")
      }
      events.append(text)
    }
    return events
  }

  /// The first option that is given, as name and as written, or `nil` if none is.
  private func given(_ start: RetentionQuery.Start?) -> (name: String, option: String)? {
    if let periods { return ("--periods", "--periods \(periods)") }
    if let start { return ("--from \(start.rawValue)", "--from \(start.rawValue)") }
    return returnEvents.first.map { ("--return", "--return \($0.printable)") }
  }
}

extension ReportSelection {
  /// Whether the selection is the report `retention` alone.
  var isOfRetention: Bool { names == [CohortRetentionReport.name] }
}
