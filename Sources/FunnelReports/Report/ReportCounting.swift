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
  /// The number of dimensions that the reports add to those of the query, such as the trend's day.
  var addedDimensionCount = 0

  var projectors: [any Projector.Type] {
    reports.map { $0.projector } + (countsEntries ? [EntryProjector.self] : [])
      + (countsFunnelToo ? [FunnelProjector.self] : []) + (countsAnchorCoverage ? [KeyCoverageProjector.self] : [])
      + (countsGrantCoverage ? [GrantCoverageProjector.self] : []) + (countsMixed ? [MixedProjector.self] : [])
  }

  /// Whether the funnel is counted for its notes alone (``Report/funnelRows``).
  private var countsFunnelToo: Bool {
    countsEntries && !reports.contains { $0 == FunnelReport.self } && reports.contains(where: Self.bringsFunnelNotes)
  }

  /// Whether a report is shown with notes that only the funnel knows, such as how many finished in another order. The order of steps changes
  /// neither outcomes nor features; and matching the chain for the notes alone would cost more than the other reports.
  static func bringsFunnelNotes(_ report: any NamedReport.Type) -> Bool {
    report.projector.readsChain && report != OutcomesReport.self && report != AccessReport.self
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
          ReportCounting(
            query: counted, reports: [report], countsEntries: countings.isEmpty,
            addedDimensionCount: counted.by.count - query.by.count))
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
    guard countsEntries else { return [] }
    let rows = counts.flatMap { $0.rows(of: FunnelProjector.self) ?? [] }
    return addedDimensionCount == 0 ? rows : FunnelRow.summed(rows, withoutLast: addedDimensionCount)
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
