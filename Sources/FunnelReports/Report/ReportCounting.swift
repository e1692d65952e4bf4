import FunnelModel
import FunnelProjections

/// Named reports that count groups by the same query, so that the chain of a group is matched once for all of them.
struct ReportCounting: Sendable {
  let query: ReportQuery
  private(set) var reports: [any NamedReport.Type]
  /// Whether the groups that never enter a flow are counted too (``EntryProjector``), and those that lack the keys of the query.
  let countsEntries: Bool
  /// Whether the groups with several values of a key are counted too (``MixedProjector``).
  var countsMixed = false
  /// Whether groups are counted by the query that was asked, and not by one of the report's own, such as the trend's by day.
  var isOfQuery = false

  var projectors: [any Projector.Type] {
    reports.map { $0.projector } + (countsEntries ? [EntryProjector.self] : [])
      + (countsFunnelToo ? [FunnelProjector.self] : []) + (countsAnchorCoverage ? [KeyCoverageProjector.self] : [])
      + (countsGrantCoverage ? [GrantCoverageProjector.self] : []) + (countsMixed ? [MixedProjector.self] : [])
  }

  /// Whether the funnel is counted for its notes alone (``Report/funnelRows``).
  private var countsFunnelToo: Bool {
    // Only where a report needs the chain of steps: matching it for the notes alone would cost more than the report.
    countsEntries && isOfQuery && !reports.contains { $0 == FunnelReport.self } && reports.contains { $0.projector.readsChain }
  }

  private var countsGrants: Bool { reports.contains { $0 == GrantsReport.self } }

  /// Whether the groups are counted that lack the keys of the query at their anchor. Grants alone are not about the anchor.
  private var countsAnchorCoverage: Bool {
    countsEntries && query.readsEventValues && !(countsGrants && reports.count == 1)
  }

  /// Whether the groups are counted that lack the keys of the query at their first pre-prompt of a permission.
  private var countsGrantCoverage: Bool { query.readsEventValues && countsGrants }

  /// Returns what reading a flow's events is asked for, as the fold takes it.
  var counting: ProjectionFold.Counting { ProjectionFold.Counting(query: query, projectors: projectors) }

  /// Returns the countings of a selection, in the order in which their queries come first; the first one counts entries. There is at
  /// least one, for entries are told of any report.
  static func countings(of selection: ReportSelection, for query: ReportQuery) -> [ReportCounting] {
    var countings = countings(of: selection.reports, for: query)
    guard selection.countsMixed, query.by.contains(where: { $0.stored == $0 }) else { return countings }
    // Groups that are left out because their values are mixed are counted all the same.
    var complete = query
    complete.dropsMixed = false
    if let index = countings.firstIndex(where: { $0.query == complete }) {
      countings[index].countsMixed = true
    } else {
      countings.append(ReportCounting(query: complete, reports: [], countsEntries: false, countsMixed: true))
    }
    return countings
  }

  private static func countings(of reports: [any NamedReport.Type], for query: ReportQuery) -> [ReportCounting] {
    var countings: [ReportCounting] = []
    for report in reports {
      let counted = report.counted(query)
      if let index = countings.firstIndex(where: { $0.query == counted }) {
        countings[index].reports.append(report)
      } else {
        countings.append(
          ReportCounting(query: counted, reports: [report], countsEntries: countings.isEmpty, isOfQuery: counted == query))
      }
    }
    return countings.isEmpty ? [ReportCounting(query: query, reports: [], countsEntries: true)] : countings
  }
}

extension ReportCounting {
  /// Returns the rows of those reports of the counting that are named.
  func answers(from counts: [FlowCounts], namedIn names: [String]) -> [any AnyAnswer] {
    reports.filter { names.contains($0.name) }.map { $0.answer(from: counts) }
  }

  /// Returns the rows of the funnel, whether it is a report of the counting or counted for its notes alone; none if it was not counted.
  func funnelRows(from counts: [FlowCounts]) -> [FunnelRow] {
    countsEntries ? counts.flatMap { $0.rows(of: FunnelProjector.self) ?? [] } : []
  }

  /// Returns how many groups of each flow version never enter it, or nil if they were not counted.
  func entries(from counts: [FlowCounts]) -> [FlowEntries]? {
    countsEntries ? counts.flatMap { $0.rows(of: EntryProjector.self) ?? [] } : nil
  }

  /// Returns how many groups of each flow version have the keys of the query, at their anchor and at their pre-prompts.
  func coverage(from counts: [FlowCounts]) -> [KeyCoverage] {
    counts.flatMap { ($0.rows(of: KeyCoverageProjector.self) ?? []) + ($0.rows(of: GrantCoverageProjector.self) ?? []) }
  }

  /// Returns the groups with several values of a key, or nil if they were not counted.
  func mixed(from counts: [FlowCounts]) -> [MixedGroups]? {
    countsMixed ? counts.flatMap { $0.rows(of: MixedProjector.self) ?? [] } : nil
  }
}
