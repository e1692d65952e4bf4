import ArgumentParser
import FunnelModel
import FunnelReports

/// The option of the report of what comes next.
struct NextOptions: ParsableArguments {
  @Option(help: ArgumentHelp("With next: the event to start from, \(EventKey.forms).", valueName: "key"))
  var after: String?

  /// Adds what the options say to a query of a selection.
  ///
  /// - Parameter adHoc: The other options that name events; for next its steps are a number of levels.
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
    query.depth = try adHoc.steps.map(Self.depth) ?? query.depth
  }

  private static func depth(_ text: String) throws(FunnelError) -> Int {
    if let depth = Int(text), (1...Limits.pathEventsMax).contains(depth) { return depth }
    throw FunnelError(
      .usage, "not a number of levels, --steps \(text.printable), give next a number from 1 to \(Limits.pathEventsMax)")
  }
}

extension ReportSelection {
  /// Whether the report is the one of what follows an event.
  var isOfNext: Bool { names == [NextReport.name] }
}
