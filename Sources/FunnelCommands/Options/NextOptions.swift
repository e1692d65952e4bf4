import ArgumentParser
import FunnelModel
import FunnelReports

/// The options of the report `next`: the event at which paths begin, and the event at which they end.
struct NextOptions: ParsableArguments {
  @Option(help: ArgumentHelp("With next: the event to start from, \(EventKey.forms).", valueName: "key"))
  var after: String?

  @Option(
    help: ArgumentHelp("With next, instead of --after: show what came before this event, latest first.", valueName: "key"))
  var before: String?

  @Option(
    help: ArgumentHelp(
      "With next: end each path at this event, and list the events in between by frequency.", valueName: "key"))
  var goal: String?

  /// Whether none of the options is given.
  var isEmpty: Bool { given == nil }

  /// Adds the options and the ad-hoc options to a query.
  ///
  /// - Parameters:
  ///   - selection: The reports that the query is for.
  ///   - adHoc: The ad-hoc options. For `next`, their `--steps` is a number of levels.
  /// - Throws: `usage` if an option is not valid, given for another report, or missing for `next`.
  func apply(to query: inout ReportQuery, for selection: ReportSelection, with adHoc: AdHocOptions) throws(FunnelError) {
    guard selection.isOfNext else {
      if let (option, value) = given {
        let start = option == "--goal" ? "--after KEY " : ""
        throw FunnelError(
          .usage,
          "\(option) is only for next, \(option) \(value.printable), write: funnel report next \(start)\(option) \(value.printable)"
        )
      }
      return try adHoc.apply(to: &query)
    }
    try adHoc.applyExclusions(to: &query)
    var path: PathQuery
    switch (after, before) {
    case (let after?, nil): path = PathQuery(.after, try AdHocOptions.key(after, option: "--after"))
    case (nil, let before?): path = PathQuery(.before, try AdHocOptions.key(before, option: "--before"))
    case (_?, _?): throw FunnelError(.usage, "both --after and --before, give one of them")
    case (nil, nil):
      throw FunnelError(
        .usage,
        "next needs --after or --before, no event given, name one as in: funnel report next --after step:welcome")
    }
    if let goal { path.goal = try AdHocOptions.key(goal, option: "--goal") }
    if let count = try adHoc.levelCount() { path.depth = count }
    query.path = path
  }

  /// The first option that is given, with its value, or `nil` if none is.
  private var given: (option: String, value: String)? {
    if let after { return ("--after", after) }
    if let before { return ("--before", before) }
    return goal.map { ("--goal", $0) }
  }
}

extension ReportSelection {
  /// Whether the selection is the report `next` alone.
  var isOfNext: Bool { names == [NextReport.name] }
}
