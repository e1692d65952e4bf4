import FunnelModel
import FunnelReports

/// A page or a file of the server.
enum ServedPath: Hashable, Sendable {
  /// The page of the flows that somebody entered.
  case flows
  /// The page of all flows, also of those that nobody entered.
  case allFlows
  /// The page of a flow, with the usual reports or with one that is named.
  case flow(FlowReference, report: String?)
  /// A report for programs.
  case file(report: String, Format)
  case health
  /// The hash of the last commit, by which a page finds out that there is a newer one.
  case commit
  case login

  enum Format: String, Sendable {
    case json, csv
  }

  /// Reads the parts of a path; returns nil for a path that there is not.
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

  /// The path of a URL.
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
