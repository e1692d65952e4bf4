import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports

/// The links of a served page: other reports of the flow, the same numbers as files, and the equivalent command line.
struct PageLinks {
  let flow: FlowReference
  /// The report of the page, or `nil` for the standard ones.
  let report: String?
  /// The request of the page.
  let request: ServedRequest

  /// Returns the links to the reports of the flow, each with the options of the request that it supports.
  ///
  /// - Parameter first: The ID of the flow's first step, after which the report `next` starts. Without one,
  ///   that report has no link.
  func reports(afterFirst first: String?) -> [PageLink] {
    let overview = PageLink("Overview", to: target(of: nil), isHere: report == nil)
    let all = [PageLink("All flows", to: "/"), overview]
    return all
      + ReportSelection.allNames.compactMap { name in
        var request = known(to: name)
        if name == NextReport.name, request.values(of: "after").isEmpty {
          guard let first else { return nil }
          request = request.adding("after", "step:\(first)")
        }
        return PageLink(
          ReportSelection.heading(of: name), to: ServedPath.flow(flow, report: name).description + request.query,
          isHere: name == report)
      }
  }

  /// Returns the URL of a report of the flow, or of the standard ones.
  private func target(of name: String?) -> String {
    ServedPath.flow(flow, report: name).description + known(to: name).query
  }

  /// Returns the request without the options that a report does not support.
  private func known(to name: String?) -> ServedRequest {
    var unknown: Set<String> = []
    if name != TrendReport.name { unknown.insert("every") }
    // The report `next` takes a number of levels as its steps, all others take events.
    if name != NextReport.name { unknown.insert("after") }
    if (name == NextReport.name) != (report == NextReport.name) { unknown.insert("steps") }
    if name != DriversReport.name { unknown.formUnion(Self.driverOptions) }
    if name == BreachesReport.name { unknown.insert("mature") }
    return request.without(unknown)
  }

  /// The options of the report `drivers` alone.
  private static let driverOptions: Set = ["of", "keys", "depth", "min-groups"]

  /// Returns the URL of the overview of the groups that meet some conditions, given as values of `--where`.
  func overview(where conditions: [String]) -> String {
    let narrowed = conditions.reduce(known(to: nil)) { $0.adding("where", $1) }
    return ServedPath.flow(flow, report: nil).description + narrowed.query
  }

  /// The links to the same numbers as JSON and CSV.
  var files: [PageLink] {
    (report.map { [$0] } ?? ReportSelection.standard.names).flatMap { name in
      let query = ServedRequest.ofFlow(flow).appending(request).query
      return [
        PageLink("\(name) as JSON", to: ServedPath.file(report: name, .json).description + query),
        PageLink("\(name) as CSV", to: ServedPath.file(report: name, .csv).description + query),
      ]
    }
  }

  /// The command line that prints the same reports.
  var command: String {
    let words = ["funnel", "report"] + (report.map { [$0] } ?? []) + ServedRequest.ofFlow(flow).appending(request).words
    return words.map(CommandHint.quoted).joined(separator: " ")
  }
}
