import ArgumentParser
import FunnelModel
import FunnelReports

/// The `--after` option of the report `next`, which shows the events after a given one.
struct NextOptions: ParsableArguments {
  @Option(help: ArgumentHelp("With next: the event to start from, \(EventKey.forms).", valueName: "key"))
  var after: String?

  /// Adds the option and the ad-hoc options to a query.
  ///
  /// - Parameters:
  ///   - selection: The reports that the query is for.
  ///   - adHoc: The ad-hoc options. For `next`, their `--steps` is a number of levels.
  /// - Throws: `usage` if `--after` is missing for `next`, or given for another report.
  func apply(to query: inout ReportQuery, for selection: ReportSelection, with adHoc: AdHocOptions) throws(FunnelError) {
    guard selection.isOfNext else {
      if let after {
        throw FunnelError(
          .usage, "--after is only for next, --after \(after.printable), write: funnel report next --after \(after.printable)")
      }
      return try adHoc.apply(to: &query)
    }
    try adHoc.applyExclusions(to: &query)
    guard let after else {
      throw FunnelError(.usage, "next needs --after, no event given, name one as in: funnel report next --after step:welcome")
    }
    query.after = try AdHocOptions.key(after, option: "--after")
    if let count = try adHoc.levelCount() { query.depth = count }
  }
}

extension ReportSelection {
  /// Whether the selection is the report `next` alone.
  var isOfNext: Bool { names == [NextReport.name] }
}
