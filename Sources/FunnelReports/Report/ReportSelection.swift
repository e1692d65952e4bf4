public import FunnelModel
import FunnelProjections

/// The named reports that are computed together, in one pass over the events.
public struct ReportSelection: Sendable {
  /// All named reports. The rows of a report are written in this order.
  static let registered: [any NamedReport.Type] = [
    FunnelReport.self, GrantsReport.self, DropoffReport.self, StepsReport.self, TimesReport.self, TrendReport.self,
    OutcomesReport.self, BreachesReport.self, AccessReport.self, NextReport.self,
  ]

  let reports: [any NamedReport.Type]
  /// Whether the groups with several values of a key of `by` are counted too (``Report/mixed``).
  private(set) var countsMixed = false

  /// The reports that are computed if none is named.
  public static let standard = ReportSelection(reports: [FunnelReport.self, GrantsReport.self, DropoffReport.self])

  /// The reports whose rows `funnel compare` compares.
  public static let comparison = ReportSelection(reports: [FunnelReport.self, GrantsReport.self])

  /// The reports of a comparison that also needs the days on which groups began.
  public static let comparisonByDay = ReportSelection(
    reports: [FunnelReport.self, GrantsReport.self, TrendReport.self], countsMixed: true)

  /// No report: only what reading the events tells besides (``Report/entries``).
  public static let entries = ReportSelection(reports: [])

  /// The names of all reports.
  public static let allNames = registered.map { $0.name }

  /// Returns the name of a report for people.
  public static func heading(of name: String) -> String { registered.first { $0.name == name }?.heading ?? name }

  /// Selects one report.
  public init(_ report: any NamedReport.Type) {
    self.init(reports: [report])
  }

  /// Selects the report with a name, or returns nil if there is none.
  public init?(name: String) {
    guard let report = Self.registered.first(where: { $0.name == name }) else { return nil }
    self.init(report)
  }

  /// Selects all reports that can answer a query: what comes next only where the query says after what, breaches only where windows do not
  /// matter.
  public static func all(answering query: ReportQuery) -> ReportSelection {
    ReportSelection(
      reports: registered.filter { report in
        (report.name != NextReport.name || query.after != nil) && (report.name != BreachesReport.name || !query.isMature)
          && (report.name != TrendReport.name || query.anchor == .first)
      })
  }

  /// Selects the reports with these names; unknown ones are left out.
  init(names: [String]) {
    self.init(reports: Self.registered.filter { names.contains($0.name) })
  }

  private init(reports: [any NamedReport.Type], countsMixed: Bool = false) {
    self.reports = reports
    self.countsMixed = countsMixed
  }

  /// Throws a usage error if a query has an option that a report does not know.
  public func check(_ query: ReportQuery) throws(FunnelError) {
    if let every = query.every, names != [TrendReport.name] {
      throw FunnelError(
        .usage, "--every is only for trend, --every \(every.rawValue), write: funnel report trend --every \(every.rawValue)")
    }
    if query.anchor == .best, names.contains(TrendReport.name) { throw AnchorRule.noTime("a trend") }
    if query.isMature, names.contains(BreachesReport.name) {
      throw FunnelError(.usage, "rules are checked in open windows too, --mature, leave it out")
    }
  }

  /// Returns a query with what the reports need of the events of some flows.
  public func prepared(_ query: ReportQuery, flows: [FlowDefinition]) -> ReportQuery {
    var query = query
    for report in reports {
      for flow in flows { query.needs.formUnion(report.projector.needs(of: flow), of: flow) }
    }
    return query
  }

  /// The names of the selected reports.
  public var names: [String] { reports.map { $0.name } }
}
