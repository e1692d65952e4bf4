import ArgumentParser
import FunnelModel

/// The options of the state `returned` of `funnel groups`: a cell of the report `retention`.
///
/// Its `--from` is one of ``ImportOptions``, as that of the report.
struct ReturnedOptions: ParsableArguments {
  @Option(help: ArgumentHelp("With returned: the period of retention, from 1.", valueName: "n"))
  var period: Int?

  @Option(
    help: ArgumentHelp("With returned: the cohort, such as 2026-W47 (default: all).", valueName: "bucket"))
  var cohort: String?

  @Option(
    help: ArgumentHelp(
      "With returned: the unit of cohorts and periods: day, week or month (default: week).", valueName: "unit"),
    completion: .list(CalendarUnit.allCases.map(\.rawValue)))
  var every: String?

  @Option(
    name: .customLong("return"),
    help: ArgumentHelp(
      "With returned: an event by which people come back (repeatable; default: any event of the app).", valueName: "event"))
  var returnEvents: [String] = []

  /// The first option that is given, or `nil` if none is.
  var given: String? {
    let options = [
      ("--period", period != nil), ("--cohort", cohort != nil), ("--every", every != nil), ("--return", !returnEvents.isEmpty),
    ]
    return options.first { $0.1 }?.0
  }

  /// Returns the cell that the options name, or `nil` without a period.
  ///
  /// - Throws: `usage` if an option is not valid.
  func cell() throws(FunnelError) -> RetentionQuery.Cell? {
    guard let period else { return nil }
    guard (1...Limits.retentionPeriodsMax).contains(period) else {
      throw FunnelError(
        .usage, "not a period, --period \(period), give a number from 1 to \(Limits.retentionPeriodsMax)")
    }
    let unit = try unit() ?? .week
    let day = try cohort.map { (name) throws(FunnelError) -> CivilDate in
      if let day = unit.start(named: name) { return day }
      let example = unit.name(of: CivilDate(daysSinceEpoch: 20_417))
      throw FunnelError(.usage, "not a \(unit.rawValue), --cohort \(name.printable), write it as \(example)")
    }
    return RetentionQuery.Cell(period: period, cohort: day)
  }

  private func unit() throws(FunnelError) -> CalendarUnit? { try ChoiceOption.choice(every, option: "--every") }

  /// Adds the options to a query.
  ///
  /// - Parameter imports: The options with `--from`, the event from which periods are measured.
  /// - Throws: `usage` if an option is not valid.
  func apply(to query: inout ReportQuery, with imports: ImportOptions) throws(FunnelError) {
    query.every = try unit()
    var retention = RetentionQuery()
    retention.listed = try cell()
    retention.returnEvents = try RetentionOptions.events(returnEvents)
    if let start = imports.retentionStart { retention.start = start }
    query.retention = retention
  }
}
