import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports

/// A path of the server.
enum ServedPath: Hashable, Sendable {
  /// The page of the flows that have entries.
  case flows
  /// The page of all flows, including those without entries.
  case allFlows
  /// The page of a flow, with one report, or with the standard ones if `report` is `nil`.
  case flow(FlowReference, report: String?)
  /// A report as JSON or CSV.
  case file(report: String, Format)
  /// The health check.
  case health
  /// The hash of the last commit, with which an open page detects a new commit.
  case commit
  /// The login form.
  case login

  /// The format of a file.
  enum Format: String, Sendable {
    case json, csv
  }

  /// Parses the decoded segments of a path. Returns `nil` if the server has no such path.
  init?(_ parts: [String]) {
    switch parts.count {
    case 0: self = .flows
    case 1 where parts[0] == "healthz": self = .health
    case 1 where parts[0] == "commit": self = .commit
    case 1 where parts[0] == "flows": self = .allFlows
    case 1 where parts[0] == "login": self = .login
    case 3 where parts[0] == "flows", 4 where parts[0] == "flows":
      guard let flow = FlowReference("\(parts[1])/\(parts[2])"), parts.count == 3 || Self.isReport(parts[3]) else { return nil }
      self = .flow(flow, report: parts.count == 4 ? parts[3] : nil)
    case 4 where Array(parts[..<3]) == ["api", "v1", "report"]:
      let isTable = parts[3].hasSuffix(".csv")
      let name = isTable ? String(parts[3].dropLast(4)) : parts[3]
      guard Self.isReport(name) else { return nil }
      self = .file(report: name, isTable ? .csv : .json)
    default: return nil
    }
  }

  private static func isReport(_ name: String) -> Bool { ReportSelection.allNames.contains(name) }

  /// The path as text, for a URL.
  var description: String {
    switch self {
    case .flows: "/"
    case .allFlows: "/flows"
    case .flow(let flow, let report): "/flows/\(flow)" + (report.map { "/\($0)" } ?? "")
    case .file(let report, .json): "/api/v1/report/\(report)"
    case .file(let report, .csv): "/api/v1/report/\(report).csv"
    case .health: "/healthz"
    case .commit: "/commit"
    case .login: "/login"
    }
  }
}

/// The links of a served page: other reports of the flow, the same numbers as files, and the equivalent command line.
struct PageLinks {
  let flow: FlowReference
  /// The report of the page, or `nil` for the standard ones.
  let report: String?
  /// The request of the page.
  let asked: ServedRequest

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
    if name == BreachesReport.name { unknown.insert("mature") }
    return asked.without(unknown)
  }

  /// The links to the same numbers as JSON and CSV.
  var files: [PageLink] {
    (report.map { [$0] } ?? ReportSelection.standard.names).flatMap { name in
      let query = ServedRequest.ofFlow(flow).appending(asked).query
      return [
        PageLink("\(name) as JSON", to: ServedPath.file(report: name, .json).description + query),
        PageLink("\(name) as CSV", to: ServedPath.file(report: name, .csv).description + query),
      ]
    }
  }

  /// The command line that prints the same reports.
  var command: String {
    let words = ["funnel", "report"] + (report.map { [$0] } ?? []) + ServedRequest.ofFlow(flow).appending(asked).words
    return words.map(CommandHint.quoted).joined(separator: " ")
  }
}
