package import FunnelModel
import FunnelProjections

/// A set of named reports that are computed in one pass over the events.
package struct ReportSelection: Sendable {
  /// All named reports, in output order.
  static let registered: [any NamedReport.Type] = [
    FunnelReport.self, GrantsReport.self, DropoffReport.self, StepsReport.self, TimesReport.self, TrendReport.self,
    OutcomesReport.self, BreachesReport.self, AccessReport.self, NextReport.self,
    DriversReport.self, CohortRetentionReport.self,
  ]

  let reports: [any NamedReport.Type]
  /// Whether to count also the groups with several values of a key of `by` (``Report/mixed``).
  private(set) var countsMixed = false
  /// Whether to count also the groups that notes mention: those that never enter a flow, lack a key, or come late.
  private(set) var hasNotes = true

  /// The default selection.
  package static let standard = ReportSelection(reports: [FunnelReport.self, GrantsReport.self, DropoffReport.self])

  /// The reports whose rows `funnel compare` compares.
  package static let comparison = ReportSelection(reports: [FunnelReport.self, GrantsReport.self])

  /// The reports of a comparison that also needs the days on which groups began.
  package static let comparisonByDay = ReportSelection(
    reports: [FunnelReport.self, GrantsReport.self, TrendReport.self], countsMixed: true)

  /// The conversion and the days on which groups began, without the counts that only notes need.
  package static let conversionByDay = ReportSelection(reports: [FunnelReport.self, TrendReport.self], hasNotes: false)

  /// No named report, only the entries of each flow version (``Report/entries``).
  package static let entries = ReportSelection(reports: [])

  /// The names of all reports.
  package static let allNames = registered.map { $0.name }

  /// Returns the display name of a report, or its name if there is no such report.
  package static func heading(of name: String) -> String { registered.first { $0.name == name }?.heading ?? name }

  /// Selects one report.
  package init(_ report: any NamedReport.Type) {
    self.init(reports: [report])
  }

  /// Selects the report with a name. Returns `nil` if there is no such report.
  package init?(name: String) {
    guard let report = Self.registered.first(where: { $0.name == name }) else { return nil }
    self.init(report)
  }

  /// Selects all reports that support a query.
  ///
  /// `drivers` and `retention` require their options, `next` a starting point, `breaches` does not support closed
  /// windows, and `trend` requires the first anchor.
  package static func all(answering query: ReportQuery) -> ReportSelection {
    ReportSelection(
      reports: registered.filter { report in
        (report.name != NextReport.name || query.path != nil) && (report.name != BreachesReport.name || !query.isMature)
          && (report.name != CohortRetentionReport.name || query.retention != nil)
          && (report.name != TrendReport.name || query.anchor == .first)
          && (report.name != DriversReport.name || query.drivers != nil)
      })
  }

  /// Selects the reports with some names. Unknown names are ignored.
  package init(names: [String]) {
    self.init(reports: Self.registered.filter { names.contains($0.name) })
  }

  private init(reports: [any NamedReport.Type], countsMixed: Bool = false, hasNotes: Bool = true) {
    self.reports = reports
    self.countsMixed = countsMixed
    self.hasNotes = hasNotes
  }

  /// Throws ``FunnelError`` (`usage`) if a query has an option that a selected report does not support.
  package func check(_ query: ReportQuery) throws(FunnelError) {
    if let every = query.every, names != [TrendReport.name], names != [CohortRetentionReport.name] {
      throw FunnelError(
        .usage,
        "--every is only for trend and retention, --every \(every.rawValue), write: funnel report trend --every \(every.rawValue)"
      )
    }
    if query.anchor == .best, names.contains(TrendReport.name) { throw AnchorRule.noTime("a trend") }
    if query.anchor == .best, names.contains(CohortRetentionReport.name) { throw AnchorRule.noTime("retention") }
    if query.isMature, names.contains(BreachesReport.name) {
      throw FunnelError(.usage, "rules are checked in open windows too, --mature, leave it out")
    }
  }

  /// Returns a query that includes the event properties that the reports need, for some flows.
  package func prepared(_ query: ReportQuery, flows: [FlowDefinition]) -> ReportQuery {
    var query = query
    for report in reports {
      for flow in flows { query.needs.formUnion(report.projector.needs(of: flow), of: flow) }
    }
    for key in query.drivers?.keys.all ?? [] where !query.needs.dimensions.contains(key) {
      query.needs.dimensions.append(key)
    }
    return query
  }

  /// The names of the selected reports.
  package var names: [String] { reports.map { $0.name } }
}

extension AnchorRule {
  /// Returns the error for a report that is divided by time and uses the best anchor.
  ///
  /// - Parameter request: The option that divides the report, such as `--by day`.
  package static func noTime(_ request: String) -> FunnelError {
    FunnelError(
      .usage,
      "the best start is chosen by how far it got, so it can't be assigned to a time, --anchor best with \(request), leave one of them out"
    )
  }
}
