import FunnelModel
import FunnelReports

/// A path of the server.
enum ServedPath: Hashable, Sendable {
  /// The page of the flows that have entries.
  case flows
  /// The page of all flows, including those without entries.
  case allFlows
  /// The page of a flow, with one report, or with the standard ones if `report` is `nil`.
  case flow(FlowReference, report: String?)
  /// The page that compares variants, versions or periods of a flow.
  case comparison(FlowReference)
  /// A report as JSON or CSV.
  case file(report: String, Format)
  /// The page of the people behind a number.
  case people
  /// The people behind a number as CSV.
  case peopleFile
  /// The page of the events of a person or a subject.
  case trace
  /// The page that builds funnels from the events of an app.
  case explore
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
    case 1 where parts[0] == "people": self = .people
    case 1 where parts[0] == "people.csv": self = .peopleFile
    case 1 where parts[0] == "trace": self = .trace
    case 1 where parts[0] == "explore": self = .explore
    case 1 where parts[0] == "commit": self = .commit
    case 1 where parts[0] == "flows": self = .allFlows
    case 1 where parts[0] == "login": self = .login
    case 4 where parts[0] == "flows" && parts[3] == "compare":
      guard let flow = FlowReference("\(parts[1])/\(parts[2])") else { return nil }
      self = .comparison(flow)
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

  /// What requests to the path ask for.
  var kind: ServedRequest.Kind {
    switch self {
    case .comparison: .comparison
    case .people, .peopleFile: .people
    case .trace: .trace
    case .flows, .allFlows, .flow, .file, .explore, .health, .commit, .login: .reports
    }
  }

  /// The path as text, for a URL.
  var description: String {
    switch self {
    case .flows: "/"
    case .allFlows: "/flows"
    case .flow(let flow, let report): "/flows/\(flow)" + (report.map { "/\($0)" } ?? "")
    case .comparison(let flow): "/flows/\(flow)/compare"
    case .file(let report, .json): "/api/v1/report/\(report)"
    case .file(let report, .csv): "/api/v1/report/\(report).csv"
    case .people: "/people"
    case .peopleFile: "/people.csv"
    case .trace: "/trace"
    case .explore: "/explore"
    case .health: "/healthz"
    case .commit: "/commit"
    case .login: "/login"
    }
  }
}
