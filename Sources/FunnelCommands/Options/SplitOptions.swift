import ArgumentParser
import FunnelModel
import FunnelReports

/// The query options for reports only: segments, the unit of trends, and the restriction to closed windows.
struct SplitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Split by \(Dimension.forms) (repeatable).", valueName: "dimension"))
  var by: [String] = []

  @Option(
    help: ArgumentHelp(
      "With trend and retention: the unit, day, week or month (default: week for retention; for a trend it depends on the length of the period).",
      valueName: "unit"),
    completion: .list(CalendarUnit.allCases.map(\.rawValue)))
  var every: String?

  @Flag(help: "Only people whose conversion window has closed.")
  var mature = false

  /// Returns a query with these options added.
  ///
  /// - Throws: `usage` if an option is not valid.
  func applied(to query: ReportQuery) throws(FunnelError) -> ReportQuery {
    var query = query
    query.every = try ChoiceOption.choice(every, option: "--every")
    try QueryOptions.checkCount(of: by, option: "--by")
    query.by += try by.map { (text) throws(FunnelError) in try DimensionOption.dimension(text) }
    if query.anchor == .best, let unit = query.by.first(where: { $0.calendarExample != nil }) {
      throw AnchorRule.noTime("--by \(unit)")
    }
    query.isMature = mature
    return query
  }
}
