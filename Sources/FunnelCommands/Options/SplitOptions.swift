import ArgumentParser
import FunnelModel
import FunnelReports

/// The query options that say how a report splits its groups, and which of them it leaves out.
struct SplitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Split by \(Dimension.forms) (repeatable).", valueName: "dimension"))
  var by: [String] = []

  @Option(
    help: ArgumentHelp(
      "Unit of a trend: day, week or month (default: depends on the length of the period).", valueName: "unit"),
    completion: .list(CalendarUnit.allCases.map(\.rawValue)))
  var every: String?

  @Flag(help: "Only people whose conversion window has closed.")
  var mature = false

  /// Returns a query with what the options define.
  func applied(to query: ReportQuery) throws(FunnelError) -> ReportQuery {
    var query = query
    query.every = try ChoiceOption.choice(every, option: "--every")
    try QueryOptions.checkCount(of: by, option: "--by")
    for text in by { query.by.append(try DimensionOption.dimension(text)) }
    if query.anchor == .best, let unit = query.by.first(where: { $0.calendarExample != nil }) {
      throw AnchorRule.noTime("--by \(unit)")
    }
    query.isMature = mature
    return query
  }
}
