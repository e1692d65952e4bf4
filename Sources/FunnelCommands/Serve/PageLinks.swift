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
  /// Whether the page compares sides of the flow.
  var isComparison = false

  /// Returns the links to the reports of the flow, each with the options of the request that it supports.
  ///
  /// - Parameter first: The ID of the flow's first step, after which the report `next` starts. Without one,
  ///   that report has no link.
  func reports(afterFirst first: String?) -> [PageLink] {
    let overview = PageLink("Overview", to: target(of: nil), isHere: report == nil && !isComparison)
    let all = [PageLink("All flows", to: "/"), overview]
    return all
      + ReportSelection.allNames.compactMap { name in
        var request = known(to: name)
        if name == NextReport.name, request.values(of: "after").isEmpty, request.values(of: "before").isEmpty {
          guard let first else { return nil }
          request = request.adding("after", "step:\(first)")
        }
        return PageLink(
          ReportSelection.heading(of: name), to: ServedPath.flow(flow, report: name).description + request.query,
          isHere: name == report)
      } + [PageLink("Compare", to: comparison, isHere: isComparison), explorer]
  }

  /// The link to the page that builds funnels from the events of the flow's app.
  private var explorer: PageLink {
    let options = known(to: FunnelReport.name).without(["flow", "app"]).adding("app", flow.app)
    return PageLink("Explore", to: ServedPath.explore.description + options.query)
  }

  /// The URL of the page that compares sides of the flow, with the options of the request that it supports.
  private var comparison: String {
    let options = isComparison ? request : known(to: nil).without(["mature"])
    // A comparison is by one key.
    let hasOneKey = options.values(of: "by").count <= 1
    return ServedPath.comparison(flow).description + (hasOneKey ? options : options.without(["by"])).query
  }

  /// Returns the URL of a report of the flow, or of the standard ones.
  private func target(of name: String?) -> String {
    ServedPath.flow(flow, report: name).description + known(to: name).query
  }

  /// Returns the request without the options that a report does not support.
  private func known(to name: String?) -> ServedRequest {
    var unknown = ServedRequest.namesOfComparison
    if name != TrendReport.name, name != CohortRetentionReport.name { unknown.insert("every") }
    if name != CohortRetentionReport.name { unknown.formUnion(["periods", "from", "return"]) }
    // The report `next` takes a number of levels as its steps, all others take events.
    if name != NextReport.name { unknown.formUnion(["after", "before", "goal"]) }
    if (name == NextReport.name) != (report == NextReport.name) { unknown.formUnion(["steps", "depth"]) }
    if name != DriversReport.name { unknown.formUnion(Self.driverOptions) }
    if name == BreachesReport.name { unknown.insert("mature") }
    return request.without(unknown)
  }

  /// Returns the paths of lists of people, with the conditions of their segments.
  ///
  /// - Parameter dimensions: The dimensions of the page's segments.
  func people(by dimensions: [Dimension]) -> (PeopleReference) -> String? {
    let isAdHoc = isAdHoc
    let isOfRetention = report == CohortRetentionReport.name
    let kept = known(to: isOfRetention ? report : nil).without(["by", "flow", "periods"])
    return { reference in
      var request =
        isAdHoc
        ? kept.values(of: "app").isEmpty ? kept.adding("app", reference.flow.app) : kept
        : ServedRequest.ofFlow(reference.flow).appending(kept)
      if reference.state.isOfRule { request = request.without(["mature"]) }
      for (name, value) in reference.state.options { request = request.adding(name, value) }
      for (dimension, value) in zip(dimensions, reference.segment) {
        let condition = SegmentCondition(dimension, .equal, anyOf: [value == .null ? "" : value.description])
        // No condition selects an empty text, or a value with blanks around it.
        guard value != .string(""), SegmentCondition(condition.description) == condition else { return nil }
        request = request.adding("where", condition.description)
      }
      return ServedPath.people.description + request.query
    }
  }

  /// The options of the report `drivers` alone.
  private static let driverOptions: Set = ["of", "keys", "depth", "min-groups"]

  /// Whether the request has its own steps instead of those of the flow.
  private var isAdHoc: Bool { report != NextReport.name && !request.values(of: "steps").isEmpty }

  /// Returns the options with which the command line and the API print a report of the page.
  private func request(onReport name: String?) -> ServedRequest {
    if name == NextReport.name { return ServedRequest.ofFlow(flow).appending(request.ofPaths) }
    guard isAdHoc else { return ServedRequest.ofFlow(flow).appending(request) }
    return request.values(of: "app").isEmpty ? request.adding("app", flow.app) : request
  }

  /// Returns the URL of the overview of the groups that meet some conditions, given as values of `--where`.
  func overview(where conditions: [String]) -> String {
    let known = known(to: nil)
    // Drivers count only closed windows.
    let counted = report == DriversReport.name ? known.without(["mature"]).adding("mature", "true") : known
    let narrowed = conditions.reduce(counted) { $0.adding("where", $1) }
    return ServedPath.flow(flow, report: nil).description + narrowed.query
  }

  /// The options of the page, as its messages name them.
  var options: PageOptions {
    isComparison
      ? PageOptions(path: .comparison(flow), request: request, kind: .comparison)
      : PageOptions(path: .flow(flow, report: report), request: request)
  }

  /// The links to the same numbers as JSON and CSV.
  var files: [PageLink] {
    (report.map { [$0] } ?? ReportSelection.standard.names).flatMap { name in
      let query = request(onReport: name).query
      return [
        PageLink("\(name) as JSON", to: ServedPath.file(report: name, .json).description + query),
        PageLink("\(name) as CSV", to: ServedPath.file(report: name, .csv).description + query),
      ]
    }
  }

  /// The command line that prints the same reports.
  var command: String {
    let words =
      (isComparison ? ["funnel", "compare"] : ["funnel", "report"]) + (report.map { [$0] } ?? [])
      + request(onReport: report).words
    return words.map(CommandHint.quoted).joined(separator: " ")
  }
}
