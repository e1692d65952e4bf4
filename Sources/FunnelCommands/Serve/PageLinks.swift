import FunnelModel
import FunnelReports

/// Where a served page leads: to the other reports of its flow, to the same numbers for programs, and to a terminal.
struct PageLinks {
  let flow: FlowReference
  /// The named report; nil for the usual ones.
  let report: String?
  let asked: ServedRequest

  /// Returns the links to the reports of the flow, each with what is asked as far as it knows it.
  ///
  /// - Parameter first: The first step of the flow, after which the report of what comes next begins.
  func reports(afterFirst first: String?) -> [PageLink] {
    let overview = PageLink("Overview", to: target(of: nil), isHere: report == nil)
    let all = [PageLink("All flows", to: "/"), overview]
    return all
      + ReportSelection.allNames.compactMap { name in
        var question = known(to: name)
        if name == NextReport.name, question.values(of: "after").isEmpty {
          guard let first else { return nil }
          question = question.adding("after", "step:\(first)")
        }
        return PageLink(
          ReportSelection.heading(of: name), to: ServedPath.flow(flow, report: name).description + question.query,
          isHere: name == report)
      }
  }

  private func target(of name: String?) -> String {
    ServedPath.flow(flow, report: name).description + known(to: name).query
  }

  /// Returns the question without what a report does not know.
  private func known(to name: String?) -> ServedRequest {
    var unknown: Set<String> = []
    if name != TrendReport.name { unknown.insert("every") }
    // Its steps are a number of levels, all others' are events.
    if name != NextReport.name { unknown.insert("after") }
    if (name == NextReport.name) != (report == NextReport.name) { unknown.insert("steps") }
    if name == BreachesReport.name { unknown.insert("mature") }
    return asked.without(unknown)
  }

  /// The same numbers as files.
  var files: [PageLink] {
    (report.map { [$0] } ?? ReportSelection.standard.names).flatMap { name in
      let query = ServedRequest.ofFlow(flow).appending(asked).query
      return [
        PageLink("\(name) as JSON", to: ServedPath.file(report: name, .json).description + query),
        PageLink("\(name) as CSV", to: ServedPath.file(report: name, .csv).description + query),
      ]
    }
  }

  /// The command line that prints the same.
  var command: String {
    let words = ["funnel", "report"] + (report.map { [$0] } ?? []) + ServedRequest.ofFlow(flow).appending(asked).words
    return words.map(CommandHint.quoted).joined(separator: " ")
  }
}
